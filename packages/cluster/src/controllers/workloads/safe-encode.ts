/** Letters and digits that form no words: what Kubernetes makes names of. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/** A hash of 32 bits as the end of a name, as `rand.SafeEncodeString` of apimachinery writes it. */
export function safeEncode(hash: number): string {
  return String(hash).replaceAll(/\d/g, (digit) => SAFE[digit.charCodeAt(0) % SAFE.length] ?? '');
}
