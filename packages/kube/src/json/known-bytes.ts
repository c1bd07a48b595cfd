import type { Json } from './json.ts';

/**
 * Bytes of JSON that know their value, so that a reader in the same process need not parse them. The value is frozen and
 * shared. It belongs to these very bytes: whoever cuts, joins or changes them has others, which know nothing.
 */
type KnownBytes = Uint8Array & { [VALUE]?: Json; [PARTS]?: readonly Uint8Array[]; [WHOLE]?: Whole };

/** The value of chunks, one after the other; the first of them carries it. */
type Whole = { readonly pieces: readonly Uint8Array[]; readonly read: () => Json };

const VALUE = Symbol('value');
const PARTS = Symbol('parts');
const WHOLE = Symbol('whole');

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

/** The same chunks, which one after the other encode the frozen value that `read` gives. It is made when it is read. */
export function chunksOfValue<T extends readonly Uint8Array[]>(pieces: T, read: () => Json): T {
  const first: KnownBytes | undefined = pieces[0];
  if (first !== undefined) first[WHOLE] = { pieces, read };
  return pieces;
}

/** The value that chunks are known to encode: these very chunks, all of them, in this order. */
export function valueOfChunks(pieces: readonly Uint8Array[]): Json | undefined {
  const first: KnownBytes | undefined = pieces[0];
  const whole = first?.[WHOLE];
  const isWhole =
    whole?.pieces.length === pieces.length && whole.pieces.every((piece, index) => piece === pieces[index]);
  return isWhole ? whole.read() : undefined;
}
