import type { Json } from './json.ts';

/**
 * Encoded JSON that carries its decoded value, so that a reader in the same process need not parse it. The value is frozen
 * and shared. It belongs to this very array: a slice, a concatenation or a copy carries none.
 */
type EncodedBytes = Uint8Array & { [VALUE]?: Json; [PARTS]?: readonly Uint8Array[]; [WHOLE]?: Whole };

/** The value of several chunks together; the first chunk carries it. */
type Whole = { readonly chunks: readonly Uint8Array[]; readonly read: () => Json };

const VALUE = Symbol('value');
const PARTS = Symbol('parts');
const WHOLE = Symbol('whole');

/** The same bytes, which carry the frozen `value` from now on. */
export function withDecodedValue<T extends Uint8Array>(bytes: T, value: Json): T {
  (bytes as EncodedBytes)[VALUE] = value;
  return bytes;
}

/** The value that bytes carry; undefined: they have to be parsed. */
export function decodedValue(bytes: Uint8Array): Json | undefined {
  return (bytes as EncodedBytes)[VALUE];
}

/** The same bytes, which carry the parts that they are the concatenation of. */
export function joinedFrom<T extends Uint8Array>(bytes: T, parts: readonly Uint8Array[]): T {
  (bytes as EncodedBytes)[PARTS] = parts;
  return bytes;
}

/** The parts that bytes were joined from; bytes that carry a value are their own only part. */
export function knownParts(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  if (decodedValue(bytes) !== undefined) return [bytes];
  return (bytes as EncodedBytes)[PARTS];
}

/** The same chunks, which together encode the frozen value that `read` returns. It is called when the value is needed. */
export function chunksOfValue<T extends readonly Uint8Array[]>(chunks: T, read: () => Json): T {
  const first: EncodedBytes | undefined = chunks[0];
  if (first !== undefined) first[WHOLE] = { chunks, read };
  return chunks;
}

/** The value that chunks carry together: these very chunks, all of them, in this order. */
export function valueOfChunks(chunks: readonly Uint8Array[]): Json | undefined {
  const first: EncodedBytes | undefined = chunks[0];
  const whole = first?.[WHOLE];
  const isWhole =
    whole?.chunks.length === chunks.length && whole.chunks.every((chunk, index) => chunk === chunks[index]);
  return isWhole ? whole.read() : undefined;
}
