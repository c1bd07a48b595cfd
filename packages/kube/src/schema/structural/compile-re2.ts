/**
 * Compiles a pattern in RE2's language, which Kubernetes uses, to a JavaScript one that means the same.
 * Undefined for a pattern that RE2 rejects (look-around, back references) or that JavaScript cannot express.
 * Matching is unanchored, as `regexp.MatchString`.
 */
export function compileRe2(pattern: string): RegExp | undefined {
  let compiled = cache.get(pattern);
  if (compiled === undefined) {
    compiled = translate(pattern);
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(pattern, compiled);
  }
  return compiled ?? undefined;
}

const CACHE_SIZE = 1000;
const cache = new Map<string, RegExp | null>();

type Reader = { readonly source: string; position: number; flags: string; out: string };

function translate(pattern: string): RegExp | null {
  const reader: Reader = { source: pattern, position: 0, flags: 'u', out: '' };
  try {
    readFlags(reader);
    while (reader.position < pattern.length) readPart(reader);
    return new RegExp(reader.out, reader.flags);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** `(?i)` and other flags apply to the whole pattern only at its start; JavaScript cannot express them elsewhere. */
function readFlags(reader: Reader): void {
  const flags = /^\(\?([ims]+)\)/.exec(reader.source);
  if (flags === null) return;
  reader.flags += [...new Set(flags[1])].join('');
  reader.position = flags[0].length;
}

function readPart(reader: Reader): void {
  const char = reader.source[reader.position] as string;
  switch (char) {
    case '\\':
      return readEscape(reader, false);
    case '[':
      return readClass(reader);
    case '(':
      return readGroup(reader);
    case '{':
      return readBrace(reader);
    case '.':
      return emit(reader, 1, reader.flags.includes('s') ? '.' : '[^\\n]');
    case '}':
    case ']':
      return emit(reader, 1, `\\${char}`);
    default:
      return emit(reader, 1, char);
  }
}

function emit(reader: Reader, length: number, text: string): void {
  reader.position += length;
  reader.out += text;
}

/** RE2 takes a brace that is no repetition as itself. */
function readBrace(reader: Reader): void {
  const repetition = /^\{\d+(?:,\d*)?\}/.exec(reader.source.slice(reader.position));
  if (repetition === null) return emit(reader, 1, '\\{');
  const [low = 0, high = 0] = repetition[0].slice(1, -1).split(',').map(Number);
  if (low > 1000 || high > 1000) throw new SyntaxError('invalid repeat count');
  return emit(reader, repetition[0].length, repetition[0]);
}

function readGroup(reader: Reader): void {
  const rest = reader.source.slice(reader.position);
  const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
  if (named !== null) return emit(reader, named[0].length, `(?<${named[1]}>`);
  if (rest.startsWith('(?:')) return emit(reader, 3, '(?:');
  if (rest.startsWith('(?')) throw new SyntaxError('unsupported group');
  return emit(reader, 1, '(');
}

const escapes: Readonly<Record<string, string>> = {
  a: '\\x07',
  z: '$(?![^])',
  A: '(?<![^])',
  s: '[\\t\\n\\f\\r ]',
  S: '[^\\t\\n\\f\\r ]',
  C: '[^]',
};
const same = 'dDwWbBfnrtv';

function readEscape(reader: Reader, inClass: boolean): void {
  const rest = reader.source.slice(reader.position);
  const literal = /^\\Q([^]*?)(?:\\E|$)/.exec(rest);
  if (literal !== null) return emit(reader, literal[0].length, quote(literal[1] as string));
  const unicode = /^\\([pP])(?:(\w)|\{(\^?)(\w+)\})/.exec(rest);
  if (unicode !== null) return readUnicodeClass(reader, unicode);
  const code = /^\\x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/.exec(rest);
  if (code !== null) return emit(reader, code[0].length, `\\u{${code[1] ?? code[2]}}`);
  const octal = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
  if (octal !== null)
    return emit(reader, octal[0].length, `\\u{${parseInt(octal[1] as string, 8).toString(16)}}`);
  return emit(reader, 2, escapeOf(rest[1], inClass));
}

function escapeOf(char: string | undefined, inClass: boolean): string {
  if (char === undefined || /[1-9]/.test(char)) throw new SyntaxError('invalid escape sequence');
  if (inClass && char === 's') return '\\t\\n\\f\\r ';
  if (Object.hasOwn(escapes, char) && !inClass) return escapes[char] as string;
  if (same.includes(char)) return `\\${char}`;
  if (/[A-Za-z]/.test(char)) throw new SyntaxError('invalid escape sequence');
  return quote(char);
}

function readUnicodeClass(reader: Reader, match: RegExpExecArray): void {
  const name = match[2] ?? match[4] ?? '';
  const negated = (match[1] === 'P') !== (match[3] === '^');
  const property = name.length <= 2 ? name : `Script=${name}`;
  emit(reader, match[0].length, `\\${negated ? 'P' : 'p'}{${property}}`);
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (char) => (char === '-' ? '\\x2d' : `\\${char}`));
}

const posix: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

function readClass(reader: Reader): void {
  const negated = reader.source[reader.position + 1] === '^';
  emit(reader, negated ? 2 : 1, negated ? '[^' : '[');
  // A closing bracket at the start is a literal.
  if (reader.source[reader.position] === ']') emit(reader, 1, '\\]');
  while (reader.source[reader.position] !== ']') {
    if (reader.position >= reader.source.length) throw new SyntaxError('missing closing ]');
    readClassPart(reader);
  }
  emit(reader, 1, ']');
}

function readClassPart(reader: Reader): void {
  const named = /^\[:(\w+):\]/.exec(reader.source.slice(reader.position));
  if (named !== null) {
    const chars = posix[named[1] as string];
    if (chars === undefined) throw new SyntaxError('invalid character class range');
    return emit(reader, named[0].length, chars);
  }
  const char = reader.source[reader.position] as string;
  if (char === '\\') return readEscape(reader, true);
  return emit(reader, 1, /[[(){}|/]/.test(char) ? `\\${char}` : char);
}
