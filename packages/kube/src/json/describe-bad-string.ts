/** Where a string's contents stop being JSON, and how Go names the place. */
export type BadString = { readonly offset: number; readonly context: string };

/** The first offence in the raw contents of a string literal (without its quotes); undefined if there is none. */
export function describeBadString(raw: string): BadString | undefined {
  for (let i = 0; i < raw.length; i++) {
    if (raw.charCodeAt(i) < 0x20) return { offset: i, context: 'in string literal' };
    if (raw[i] !== '\\') continue;
    i++;
    if (raw[i] === 'u') {
      const digits = hexDigitsAt(raw, i + 1);
      if (digits < 4)
        return { offset: i + 1 + digits, context: String.raw`in \u hexadecimal character escape` };
      i += 4;
    } else if (i >= raw.length || !'"\\/bfnrt'.includes(raw[i] ?? '')) {
      return { offset: i, context: 'in string escape code' };
    }
  }
  return undefined;
}

function hexDigitsAt(raw: string, start: number): number {
  let count = 0;
  while (count < 4 && /[0-9a-fA-F]/.test(raw[start + count] ?? '')) count++;
  return count;
}
