import { localError } from '../../api-server-error.ts';

/** The largest response that is read: a patch of the largest object, and room for its encoding. */
const LONGEST_RESPONSE = 16 * 1024 * 1024;

/** A stream of a response's body. */
type ResponseStream = {
  readonly on: (event: 'data', listener: (chunk: Buffer) => void) => unknown;
  readonly destroy: (error: Error) => unknown;
};

/** Collects a response's body; returns a function that gives all that has come. */
export function collectResponse(stream: ResponseStream): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk) => {
    size += chunk.length;
    if (size <= LONGEST_RESPONSE) chunks.push(chunk);
    else stream.destroy(localError('TooLarge', `the response is longer than ${LONGEST_RESPONSE} bytes`));
  });
  return () => (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
}
