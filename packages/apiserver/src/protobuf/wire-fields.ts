import { type ApiServerError, localError } from '../api-server-error.ts';

/** The bytes are truncated, or are not what an encoder writes. */
export const malformed = (message: string): ApiServerError => localError('Malformed', message);

/** One field of a message: a number, or the bytes of a string, a message or a packed list. */
export type WireField = { readonly number: number; readonly value: number | bigint | Uint8Array };

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Reads the fields of a protobuf message in order. */
export function* wireFields(bytes: Uint8Array): Generator<WireField, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const tag = varint(bytes, at);
    at = tag.end;
    const key = Number(tag.value);
    const field = payload(view, bytes, at, key & 7);
    yield { number: Math.floor(key / 8), value: field.value };
    at = field.end;
  }
}

type Read<T> = { readonly value: T; readonly end: number };

function payload(view: DataView, bytes: Uint8Array, at: number, type: number): Read<WireField['value']> {
  if (type === VARINT) return varint(bytes, at);
  if (type === BYTES) {
    const length = varint(bytes, at);
    const end = length.end + Number(length.value);
    if (end > bytes.length) throw malformed('unexpected EOF');
    return { value: bytes.subarray(length.end, end), end };
  }
  const size = fixedSize(type);
  if (at + size > bytes.length) throw malformed('unexpected EOF');
  return { value: size === 8 ? view.getFloat64(at, true) : view.getFloat32(at, true), end: at + size };
}

function fixedSize(type: number): number {
  if (type === FIXED64) return 8;
  if (type === FIXED32) return 4;
  throw malformed(`proto: illegal wireType ${type}`);
}

/** A whole number of up to 64 bits, signed; bigint where a number would round it. */
function varint(bytes: Uint8Array, start: number): Read<number | bigint> {
  let small = 0;
  for (let at = start, factor = 1; at < start + 4; at += 1, factor *= 128) {
    const byte = bytes[at];
    if (byte === undefined) throw malformed('unexpected EOF');
    small += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value: small, end: at + 1 };
  }
  return longVarint(bytes, start);
}

function longVarint(bytes: Uint8Array, start: number): Read<number | bigint> {
  let value = 0n;
  for (let at = start; at < start + 10; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) throw malformed('unexpected EOF');
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte < 0x80) return { value: narrow(BigInt.asIntN(64, value)), end: at + 1 };
  }
  throw malformed('proto: integer overflow');
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
