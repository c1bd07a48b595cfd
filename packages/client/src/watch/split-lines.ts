import { knownParts } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';

const NEWLINE = 0x0a;

/**
 * The lines of a stream, without line ends and empty lines. A line within one chunk is a view of it, not a copy; one that
 * carries its value is passed on as it is. Rejects with `TooLarge` on a line beyond `limit` bytes; drops a last line
 * without a line end, because it was cut off.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array, void> {
  let pieces: Uint8Array[] = [];
  let pending = 0;
  for await (const chunk of chunks) {
    const lines = pending === 0 ? knownParts(chunk) : undefined;
    if (lines !== undefined) {
      yield* lines;
      continue;
    }
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end);
      start = end + 1;
      const line = pending === 0 ? rest : Buffer.concat([...pieces, rest]);
      pieces = [];
      pending = 0;
      if (line.length > 0) yield line;
    }
    if (start === chunk.length) continue;
    pieces.push(chunk.subarray(start));
    pending += chunk.length - start;
    if (pending > limit) throw localError('TooLarge', `a watch event is larger than ${limit} bytes`);
  }
}
