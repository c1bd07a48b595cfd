import { Lexer } from 'yaml';

/** What the lexer puts before a plain scalar and before a block scalar. */
export const SCALAR = '\u001F';

/** What of the library's lexer is private, and used here. Its version is pinned, and the differential suite would fail. */
type OpenLexer = {
  readonly buffer: string;
  readonly pos: number;
  readonly flowLevel: number;
  indentNext: number;
  continueScalar(offset: number): number;
  lex(source: string): Iterable<string>;
};

const USED = ['buffer', 'pos', 'flowLevel', 'indentNext', 'continueScalar', 'lex'];

function isOpen(lexer: object): lexer is OpenLexer {
  return USED.every((name) => name in lexer);
}

/** The library's lexer, but lines in brackets and in quotes need no indent: so the Go library has it. */
function createLexer(): OpenLexer {
  const lexer: object = new Lexer();
  if (!isOpen(lexer)) throw new TypeError('the lexer of the YAML library has changed');
  const continueScalar = lexer.continueScalar.bind(lexer);
  let indentNext = 0;
  let isInQuotes = false;
  lexer.continueScalar = (offset) => {
    const first = lexer.buffer[lexer.pos];
    isInQuotes = first === '"' || first === "'";
    const next = continueScalar(offset);
    isInQuotes = false;
    return next;
  };
  return Object.defineProperty(lexer, 'indentNext', {
    get: () => (isInQuotes || lexer.flowLevel > 0 ? 0 : indentNext),
    set: (value: number) => {
      indentNext = value;
    },
  });
}

/** An alias and its colon are one to the library, and two to the Go library. */
const ALIAS_AND_COLON = /^\*[\w-]+:$/;
const BLANK = /\s/;
const ENDS_ITEM: ReadonlySet<string | undefined> = new Set([',', ']', '}']);

/**
 * The lexemes of a text, as the Go library would part them: in brackets, a colon belongs to the scalar before it unless a blank
 * follows, and `?` is a mark of its own.
 */
export function* goLexemes(text: string): Generator<string> {
  const lexer = createLexer();
  const parting = new Parting(text, lexer);
  for (const lexeme of lexer.lex(text)) {
    const parted = parting.next(lexeme);
    if (typeof parted === 'string') yield parted;
    else yield* parted;
  }
}

class Parting {
  readonly #text: string;
  readonly #lexer: OpenLexer;
  #position = 0;
  #isScalar = false;
  #hasColon = false;

  constructor(text: string, lexer: OpenLexer) {
    this.#text = text;
    this.#lexer = lexer;
  }

  next(lexeme: string): string | readonly string[] {
    const wasScalar = this.#isScalar;
    this.#isScalar = lexeme === SCALAR;
    if (this.#hasColon && this.#isDropped(lexeme)) return [];
    this.#hasColon = false;
    if (this.#lexer.flowLevel > 0) {
      if (this.#isScalar && this.#text[this.#position] === '?') return ['?', lexeme];
      if (wasScalar) return this.#flowScalar(lexeme);
    }
    if (isControl(lexeme)) return lexeme;
    this.#position += lexeme.length;
    return ALIAS_AND_COLON.test(lexeme) ? [lexeme.slice(0, -1), ':'] : lexeme;
  }

  /** Of a colon that belongs to a scalar, the lexer makes a key's, and puts an empty scalar behind it. */
  #isDropped(lexeme: string): boolean {
    return lexeme === ':' || lexeme === '' || (this.#isScalar && ENDS_ITEM.has(this.#text[this.#position]));
  }

  #flowScalar(lexeme: string): string {
    const end = this.#position + lexeme.length;
    const next = this.#text[end] === ':' ? this.#text[end + 1] : undefined;
    this.#hasColon = next !== undefined && !BLANK.test(next);
    this.#position = this.#hasColon ? end + 1 : end;
    return `${lexeme.startsWith('?') ? lexeme.slice(1) : lexeme}${this.#hasColon ? ':' : ''}`;
  }
}

/** A lexeme that is no part of the text. */
export function isControl(lexeme: string): boolean {
  return lexeme.length === 1 && (lexeme === SCALAR || lexeme === '\u0002' || lexeme === '\u0018');
}
