/** Version 4 UUID of 16 random bytes. */
export function uuid(random: (size: number) => Uint8Array): string {
  // A copy: the source may use its bytes again.
  const bytes = Buffer.from(random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** No vowels and nothing that looks like another: generated names do not spell words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX = 5;
const LONGEST_PREFIX = 63 - SUFFIX;

/** A name for `metadata.generateName`. */
export function generateName(prefix: string, random: (size: number) => Uint8Array): string {
  let name = prefix.slice(0, LONGEST_PREFIX);
  for (const byte of random(SUFFIX)) name += ALPHABET[byte % ALPHABET.length];
  return name;
}
