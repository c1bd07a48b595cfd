/** A value of ASN.1, encoded by the distinguished rules. */
export type DerValue = {
  /** With its tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
  /** What a sequence or a set has in it; empty of anything else. */
  readonly items: readonly DerValue[];
};

const CONSTRUCTED = 0x20;
/** No request has values in values as deep as this. */
const MAX_DEPTH = 32;

/** Reads one value, and what is in it. Throws where the bytes are none, or more than one. */
export function readDer(bytes: Buffer): DerValue {
  const value = valueAt(bytes, 0, 0);
  if (value.whole.length !== bytes.length) throw new TypeError('asn1: syntax error: trailing data');
  return value;
}

function valueAt(bytes: Buffer, offset: number, depth: number): DerValue {
  const { start, end } = boundsAt(bytes, offset);
  if (end > bytes.length || depth > MAX_DEPTH) throw new TypeError('asn1: syntax error: data truncated');
  const content = bytes.subarray(start, end);
  const hasItems = ((bytes[offset] ?? 0) & CONSTRUCTED) !== 0;
  return {
    whole: bytes.subarray(offset, end),
    content,
    items: hasItems ? itemsOf(content, depth + 1) : [],
  };
}

function itemsOf(content: Buffer, depth: number): readonly DerValue[] {
  const items: DerValue[] = [];
  for (let offset = 0; offset < content.length; ) {
    const item = valueAt(content, offset, depth);
    items.push(item);
    offset += item.whole.length;
  }
  return items;
}

/** Where the content begins and ends: a length below 128 is one byte, else that byte has the number of those of the length. */
function boundsAt(bytes: Buffer, offset: number): { readonly start: number; readonly end: number } {
  const first = bytes[offset + 1];
  if (first === undefined) throw new TypeError('asn1: syntax error: truncated tag or length');
  if (first < 0x80) return { start: offset + 2, end: offset + 2 + first };
  const start = offset + 2 + (first & 0x7f);
  const length = bytes.subarray(offset + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  return { start, end: start + length };
}
