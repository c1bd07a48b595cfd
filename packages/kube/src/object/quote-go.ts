const NAMED: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
};

/** Not printable by Go's `strconv.IsPrint`: control, unassigned and private characters, separators but the space. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** Quotes a string as Go's `%q` does; many of Kubernetes' error messages hold values so quoted. */
export function quoteGo(text: string): string {
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    out += NAMED[code] ?? (UNPRINTABLE.test(char) ? escapeCode(code) : char);
  }
  return `${out}"`;
}

function escapeCode(code: number): string {
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
