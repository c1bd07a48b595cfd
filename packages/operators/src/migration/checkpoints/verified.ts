import { createHash } from 'node:crypto';
import { OperatorError } from '../../operator-error.ts';

/** An archive that is on disk. */
export type ArchiveFile = {
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
  readonly read: () => AsyncIterable<Uint8Array>;
};

/** The size and the digest of an archive, which is read once and not kept. */
export async function measured(archive: AsyncIterable<Uint8Array>): Promise<Omit<ArchiveFile, 'read'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of archive) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** The same archive; ends with an error if it has another digest, or ends too early. */
export async function* verified(
  archive: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of archive) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest('hex');
  if (found === sha256) return;
  const message = `the archive has SHA-256 ${found}, ${sha256} was announced`;
  // Another attempt may bring it whole.
  throw new OperatorError('Unavailable', message, { reason: 'DigestMismatch' });
}
