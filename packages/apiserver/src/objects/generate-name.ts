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
