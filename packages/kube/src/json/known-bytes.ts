import type { Json } from './value.ts';

/**
 * Bytes of JSON that know their value, so that a reader in the same process need not parse them. The value is frozen and
 * shared. It belongs to these very bytes: whoever cuts, joins or changes them has others, which know nothing.
 */
type KnownBytes = Uint8Array & { [VALUE]?: Json; [PARTS]?: readonly Uint8Array[] };

const VALUE = Symbol('value');
const PARTS = Symbol('parts');

/** The same bytes, which say the frozen `value` from now on. */
export function saying<T extends Uint8Array>(bytes: T, value: Json): T {
  (bytes as KnownBytes)[VALUE] = value;
  return bytes;
}

/** What bytes are known to say; undefined where they have to be parsed. */
export function saidBy(bytes: Uint8Array): Json | undefined {
  return (bytes as KnownBytes)[VALUE];
}

/** The same bytes, which remember that they are these pieces, one after the other. */
export function joinedFrom<T extends Uint8Array>(bytes: T, parts: readonly Uint8Array[]): T {
  (bytes as KnownBytes)[PARTS] = parts;
  return bytes;
}

/** The pieces that bytes were joined from; of bytes that say something themselves, these. */
export function knownParts(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  if (saidBy(bytes) !== undefined) return [bytes];
  return (bytes as KnownBytes)[PARTS];
}
