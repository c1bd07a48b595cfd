import {
  Composer,
  type CST,
  type Document,
  isCollection,
  isScalar,
  type ParsedNode,
  Parser,
  Schema,
} from 'yaml';
import { MAX_JSON_DEPTH } from '../json/max-json-depth.ts';
import { goLexemes, SCALAR } from './go-lexemes.ts';
import { LexemeChecker } from './lexeme-checker.ts';
import { yamlError, yamlSyntaxError } from './yaml-error.ts';

/** Every scalar is a text, and every tag is kept: what they are is decided by `resolve-plain.ts`. */
const SCHEMA = new Schema({ schema: 'failsafe', resolveKnownTags: false, merge: false });
const OPTIONS = {
  version: '1.1',
  schema: SCHEMA,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** What begins a node, and what may stand before one or in place of one. */
const NODES: ReadonlySet<string> = new Set([SCALAR, '[', '{']);
const MARKS: ReadonlySet<string> = new Set(['-', '?', ',']);
const ENDS_DOCUMENT: ReadonlySet<string> = new Set(['---', '...']);

type Fault = { readonly code: string; readonly message: string; readonly pos: readonly [number, number] };

/**
 * The first document of a text, as the Go library reads it: what follows is not even looked at. Undefined for a text without
 * one. Throws `InvalidYaml`; `maxNodes` bounds what the text may take of memory. Yields after each piece of work of some
 * milliseconds.
 */
export function* composeFirstDocument(
  text: string,
  maxNodes: number,
): Generator<void, Document.Parsed | undefined> {
  const document = yield* firstDocument(text, maxNodes);
  if (document === undefined) return undefined;
  const errors = faultsOf(document, text);
  const quotes = errors.filter(({ code, pos }) => code === 'BAD_DQ_ESCAPE' && text[pos[0] + 1] === "'");
  if (quotes.length > 0) return yield* composeFirstDocument(withoutBackslashes(text, quotes), maxNodes);
  const [fault] = [...errors, ...document.warnings.filter(({ code }) => code === 'BAD_DIRECTIVE')];
  if (fault !== undefined) throw yamlSyntaxError(text, fault);
  if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.1')
    throw yamlError(text, 0, 'found incompatible YAML document');
  return document;
}

/** Stops at the mark that ends the first document. */
function* firstDocument(text: string, maxNodes: number): Generator<void, Document.Parsed | undefined> {
  const composer = new Composer(OPTIONS);
  const parser = new Parser();
  let isFound = false;
  const take = (tokens: Iterable<CST.Token>): void => {
    for (const token of tokens) isFound = compose(composer, token) || isFound;
  };
  const check = checks(text, maxNodes);
  let lexemes = 0;
  for (const lexeme of goLexemes(text)) {
    check(lexeme);
    if (++lexemes % PIECE === 0) yield;
    take(parser.next(lexeme));
    if (isFound && ENDS_DOCUMENT.has(lexeme)) break;
    if (parser.stack.length > MAX_JSON_DEPTH + 1) throw yamlError(text, parser.offset, 'exceeded max depth');
  }
  if (!isFound) take(parser.end());
  return found(text, composer, isFound);
}

/** Lexemes that are read in one piece of work. */
const PIECE = 2000;
/** Comments, blanks and line breaks of a text, to one of its nodes. */
const LEXEMES_PER_NODE = 8;

/** Throws for the lexeme that the Go library would not take, and for one node too many. */
function checks(text: string, maxNodes: number): (lexeme: string) => void {
  const checker = new LexemeChecker();
  let nodes = 0;
  let marks = 0;
  let lexemes = 0;
  return (lexeme) => {
    lexemes++;
    if (lexeme.length === 1) {
      if (NODES.has(lexeme)) nodes++;
      else if (MARKS.has(lexeme)) marks++;
    }
    const isTooMany = nodes > maxNodes || marks > maxNodes || lexemes / LEXEMES_PER_NODE > maxNodes;
    const fault = isTooMany ? `exceeded ${maxNodes} values` : checker.check(lexeme);
    if (fault !== undefined) throw yamlError(text, checker.position - lexeme.length, fault);
  };
}

/** True for the token of a document; the composer gives it only when it has seen what follows. */
function compose(composer: Composer, token: CST.Token): boolean {
  for (const _ of composer.next(token)) break;
  return token.type === 'document';
}

/** A text of comments has no document; one of directives should have. */
function found(text: string, composer: Composer, isFound: boolean): Document.Parsed | undefined {
  const before = [...composer.streamInfo().errors];
  for (const document of composer.end(!isFound, text.length)) {
    if (isFound) return document;
    const [fault] = [...before, ...document.errors, ...document.warnings];
    if (fault !== undefined) throw yamlSyntaxError(text, fault);
  }
  return undefined;
}

/** Without those that the Go library does not have: a comment may follow a quote or a bracket at once. */
function faultsOf({ contents, errors }: Document.Parsed, text: string): readonly Fault[] {
  const end =
    errors.find((error) => contents !== null && isAfter(error, contents, text))?.pos[0] ??
    Number.POSITIVE_INFINITY;
  return errors.filter(
    ({ message, pos }) => !message.startsWith('Comments must be separated') && pos[0] < end,
  );
}

/** Behind a document that has ended the Go library does not look. */
function isAfter({ code, pos }: Fault, contents: ParsedNode, text: string): boolean {
  if (code !== 'UNEXPECTED_TOKEN' || pos[0] < contents.range[1]) return false;
  if (isScalar(contents) || (isCollection(contents) && contents.flow === true)) return true;
  return columnOf(text, pos[0]) < columnOf(text, contents.range[0]);
}

function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1);
}

/** The Go library takes `\'` in a double-quoted text, which YAML does not have. */
function withoutBackslashes(text: string, errors: readonly Fault[]): string {
  let kept = '';
  let from = 0;
  for (const { pos } of errors) {
    kept += text.slice(from, pos[0]);
    from = pos[0] + 1;
  }
  return kept + text.slice(from);
}
