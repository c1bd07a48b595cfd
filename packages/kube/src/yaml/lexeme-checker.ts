import { isControl, SCALAR } from './go-lexemes.ts';

const ANCHOR = /^[&*][\w-]+$/;
/** A tab before the first line's indent is known; a header with a digit says what it is. */
const TAB_INDENT = /^(?: *\n)* *\t/;
const INDENT_GIVEN = /^[|>][-+]?\d/;
/** Of one character each. */
const ESCAPES = new Set('0abt\tnvfre "\'\\N_LP\n');
/** Of hexadecimal digits, by their number. */
const HEX_ESCAPES: Readonly<Record<string, RegExp>> = {
  x: /^[\da-fA-F]{2}$/,
  u: /^(?![dD][89a-fA-F])[\da-fA-F]{4}$/,
  U: /^(?!0000[dD][89a-fA-F])[\da-fA-F]{8}$/,
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
/** Each is an error to the library, which costs it as much as a hundred other characters. */
const MAX_ESCAPED_QUOTES = 10_000;
/** A mapping and its first key may have a tag and an anchor each. */
const MAX_PROPERTIES = 4;
const LONGEST_KEY = 1024;
const ENDS_PROPERTIES: ReadonlySet<string> = new Set('"\'*[]{},:?-|>.');

/**
 * Follows the lexer and finds what the library takes and the Go library does not: a tab where a key may begin, `?` in
 * brackets, some escapes, names of anchors.
 */
export class LexemeChecker {
  #flowLevel = 0;
  /** Here a key may begin, so that a tab may not stand. */
  #mayBeginKey = true;
  #isAfterLine = true;
  #isExplicitKey = false;
  #hasBegun = false;
  /** Blanks behind a plain scalar belong to it, where they are indented. */
  #isAfterPlain = false;
  #isIndented = false;
  #isScalar = false;
  #header = '';
  #position = 0;
  #nodeStart = 0;
  /** Tags and anchors since a node. */
  #properties = 0;

  /** What is wrong with the next lexeme, which begins at `position`. */
  check(lexeme: string): string | undefined {
    const isScalar = this.#isScalar;
    this.#isScalar = lexeme === SCALAR;
    if (isControl(lexeme)) return undefined;
    const fault = isScalar ? this.#checkScalar(lexeme) : this.#checkIndicator(lexeme);
    this.#position += lexeme.length;
    return fault;
  }

  get position(): number {
    return this.#position;
  }

  #checkScalar(lexeme: string): string | undefined {
    const header = this.#header;
    this.#hasBegun = true;
    this.#header = '';
    this.#properties = 0;
    this.#beginNode();
    if (header !== '')
      return TAB_INDENT.test(lexeme) && !INDENT_GIVEN.test(header)
        ? 'found a tab character where an indentation space is expected'
        : undefined;
    this.#isAfterPlain = true;
    return this.#flowLevel > 0 && lexeme.includes('?') ? "did not find expected ',' or ']'" : undefined;
  }

  #checkIndicator(lexeme: string): string | undefined {
    const first = lexeme[0];
    if (first !== undefined && ENDS_PROPERTIES.has(first)) this.#properties = 0;
    if (first === '\n') {
      this.#mayBeginKey = true;
      this.#isAfterLine = true;
      this.#isIndented = false;
      return undefined;
    }
    if (first === ' ' || first === '\t') return this.#checkBlank(lexeme);
    this.#isAfterPlain = false;
    if (lexeme === '...' && !this.#hasBegun) return 'did not find expected <document start>';
    this.#hasBegun ||= first !== '#';
    return this.#checkToken(lexeme);
  }

  #checkBlank(lexeme: string): string | undefined {
    this.#isIndented ||= lexeme.startsWith(' ');
    const isSkipped =
      !lexeme.includes('\t') || this.#flowLevel > 0 || (this.#isAfterPlain && this.#isIndented);
    return isSkipped || !this.#mayBeginKey ? undefined : 'found character that cannot start any token';
  }

  #checkToken(lexeme: string): string | undefined {
    switch (lexeme[0]) {
      case '[':
      case '{':
        this.#flowLevel++;
        this.#isExplicitKey = false;
        return this.#beginNode();
      case ']':
      case '}':
        this.#flowLevel--;
        return this.#pass();
      case ',':
      case '?':
        return this.#beginItem(lexeme === '?');
      case ':':
        return this.#checkValue();
      default:
        return this.#checkNode(lexeme);
    }
  }

  #checkNode(lexeme: string): string | undefined {
    switch (lexeme[0]) {
      case '-':
        // The mark of a document begins with it too, and no key may stand behind that.
        if (lexeme === '-') return undefined;
        return this.#pass();
      case '|':
      case '>':
        this.#header = lexeme;
        return this.#pass();
      case '"':
        this.#beginNode();
        return escapeFault(lexeme);
      case '&':
      case '*':
        return ANCHOR.test(lexeme)
          ? this.#checkProperty(lexeme)
          : 'did not find expected alphabetic or numeric character';
      default:
        return this.#checkProperty(lexeme);
    }
  }

  #checkProperty(lexeme: string): string | undefined {
    this.#beginNode();
    if (!lexeme.startsWith('!') && !lexeme.startsWith('&')) return undefined;
    return ++this.#properties > MAX_PROPERTIES ? 'found more tags and anchors than a node has' : undefined;
  }

  /** A key in brackets is short, and its colon on the same line. */
  #checkValue(): string | undefined {
    const isImplicit = this.#flowLevel > 0 && !this.#isExplicitKey;
    const isFar = this.#isAfterLine || this.#position - this.#nodeStart > LONGEST_KEY;
    if (this.#flowLevel > 0 || !this.#isAfterLine) this.#mayBeginKey = false;
    return isImplicit && isFar ? "did not find expected ',' or '}'" : undefined;
  }

  /** Behind `?` a key may begin, as at the beginning of a line. */
  #beginItem(isExplicit: boolean): undefined {
    this.#isExplicitKey = isExplicit;
    if (!isExplicit) this.#pass();
  }

  #beginNode(): undefined {
    this.#nodeStart = this.#position;
    return this.#pass();
  }

  #pass(): undefined {
    this.#mayBeginKey = false;
    this.#isAfterLine = false;
  }
}

/** The Go library takes no escaped slash, and no half of a character: not even both halves. */
function escapeFault(lexeme: string): string | undefined {
  let quotes = 0;
  for (let at = lexeme.indexOf('\\'); at !== -1; at = lexeme.indexOf('\\', at + 2)) {
    const code = lexeme[at + 1] ?? '';
    const digits = HEX_DIGITS[code];
    if (digits === undefined && !ESCAPES.has(code)) return 'found unknown escape character';
    if (digits !== undefined && HEX_ESCAPES[code]?.test(lexeme.slice(at + 2, at + 2 + digits)) !== true)
      return 'found invalid Unicode character escape code';
    if (code === "'" && ++quotes > MAX_ESCAPED_QUOTES) return `exceeded ${MAX_ESCAPED_QUOTES} escaped quotes`;
  }
  return undefined;
}
