import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { LARGEST_FILE } from './format-of.ts';

/** One file of an archive. */
type ArchivedFile = { readonly path: string; readonly content: Buffer };

/** The files of an archive in its order, one at a time. Its content may be anything. */
export async function* readArchive(path: string, isZipped: boolean): AsyncGenerator<ArchivedFile, void> {
  await checkFile(path);
  const source = createReadStream(path);
  const bytes = source.pipe(isZipped ? createGunzip() : new PassThrough());
  source.once('error', (error) => bytes.destroy(error));
  try {
    const entries = pulledFrom(bytes).pipeThrough(createTarDecoder({ strict: true }));
    for await (const entry of entries as AsyncIterable<ParsedTarEntry>)
      yield { path: entry.header.name, content: await contentOf(entry) };
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError('Failed', `${path} cannot be read: ${errorText(cause)}`, { cause });
  } finally {
    source.destroy();
    bytes.destroy();
  }
}

/** Of `Readable.toWeb`, what comes after its reader has stopped would end the process: the stream is closed then. */
function pulledFrom(bytes: Readable): ReadableStream<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void bytes.destroy(),
  });
}

/** A device or a pipe may never end. */
async function checkFile(path: string): Promise<void> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new OperatorError('Failed', `${path} cannot be read: ${errorText(cause)}`, { cause });
  });
  if (!stats.isFile()) throw new OperatorError('Failed', `${path} cannot be read: it is not a file`);
}

async function contentOf({ header: { name, size, type = 'file' }, body }: ParsedTarEntry): Promise<Buffer> {
  if (type !== 'file') throw new OperatorError('Failed', `${name} in the archive is not a file`);
  if (size > LARGEST_FILE)
    throw new OperatorError('Failed', `${name} in the archive is too large to be an object`);
  const parts: Uint8Array[] = [];
  for await (const part of body as AsyncIterable<Uint8Array>) parts.push(part);
  return Buffer.concat(parts);
}
