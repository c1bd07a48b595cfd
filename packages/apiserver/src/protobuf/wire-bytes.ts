/** An encoded field of a message: no bytes for an absent value. */
export type WireBytes = readonly Uint8Array[];

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

/** A nested message. */
export function messageField(number: number, content: WireBytes): WireBytes {
  const size = content.reduce((sum, { length }) => sum + length, 0);
  return [varint(number * 8 + 2), varint(size), ...content];
}

/** A text; none when it is empty, as protobuf leaves it out. */
export function textField(number: number, text: string): WireBytes {
  return text === '' ? [] : messageField(number, [Buffer.from(text)]);
}

/** A truth; none when it is not. */
export function boolField(number: number, value: boolean): WireBytes {
  return value ? [varint(number * 8), varint(1)] : [];
}
