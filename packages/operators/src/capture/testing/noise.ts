import { createHash } from 'node:crypto';

/** Text that does not compress: hashes of hashes. */
export function noise(bytes: number): string {
  let text = '';
  for (let i = 0; text.length < bytes; i++) text += createHash('sha512').update(String(i)).digest('base64');
  return text.slice(0, bytes);
}
