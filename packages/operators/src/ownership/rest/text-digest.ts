import { createHash } from 'node:crypto';

/** So many bytes tell texts apart; there are several per object. */
const BYTES = 16;

/** Short for a text that is only compared: a character per byte. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest().toString('latin1', 0, BYTES);
}
