import { createHash } from 'node:crypto';

/** Short for a text that is only compared. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
