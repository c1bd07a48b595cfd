import { endOfString } from './end-of-string.ts';
import { isJsonArray, type Json, setOwn } from './json.ts';

/** Characters that are parsed at once. */
const PIECE = 128 * 1024;

const [QUOTE, COMMA] = [34, 44];
/** The bit in which a bracket differs from a brace. */
const BRACE = 32;
const [OPEN, CLOSE] = [91 | BRACE, 93 | BRACE];

/** An object or array that is open at the place that was reached. */
type Level = {
  readonly at: number;
  readonly isObject: boolean;
  /** The last comma between its members; its bracket while there is none. */
  comma: number;
  /** What it has so far; absent while none of it was parsed by itself. */
  value?: Record<string, Json> | Json[];
};

/**
 * Parses a text of JSON with `parse`, piece by piece, and yields after each: others may have their turn in between. The value is
 * that of `parse(text)`. Throws for a text that is no JSON, in other words than `parse`. `piece`: characters of one.
 */
export function* parsePieces(
  text: string,
  parse: (text: string) => Json,
  piece: number = PIECE,
): Generator<void, Json> {
  const reader = new PieceReader(text, parse);
  if (text.length <= piece) return parse(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = lastOfString(text, at);
    else if ((code | BRACE) === OPEN) reader.open(at);
    else if ((code | BRACE) === CLOSE) reader.close(at);
    else if (code === COMMA && reader.comma(at) > piece) {
      reader.parseMembers();
      yield;
    }
  }
  return reader.end();
}

class PieceReader {
  readonly #text: string;
  readonly #parse: (text: string) => Json;
  /** Those with values come first: the value of each is in that of the one before it. */
  readonly #levels: Level[] = [];
  /** Where the text begins of which nothing was parsed. */
  #from = 0;
  /** Before that, a member ended which was parsed by itself: a comma or the end has to follow. */
  #isAfterMember = false;
  #root: Json | undefined;

  constructor(text: string, parse: (text: string) => Json) {
    this.#text = text;
    this.#parse = parse;
  }

  open(at: number): void {
    this.#levels.push({ at, isObject: this.#text[at] === '{', comma: at });
  }

  /** Returns how much was not parsed yet. */
  comma(at: number): number {
    const level = this.#levels.at(-1);
    if (level === undefined) throw new SyntaxError('a comma outside of all brackets');
    level.comma = at;
    if (level.value !== undefined && this.#isAfterMember) this.#pass(at);
    return at - this.#from;
  }

  close(at: number): void {
    const level = this.#levels.pop();
    if (level?.value === undefined) return;
    if (this.#text[at] !== (level.isObject ? '}' : ']')) throw new SyntaxError('another bracket is open');
    if (this.#isAfterMember) this.#expectNothing(this.#from, at);
    else if (this.#add(level, at) === 0 && level.comma !== level.at)
      throw new SyntaxError('a comma before the end');
    this.#from = at + 1;
    this.#isAfterMember = true;
  }

  /** Parses all whole members up to the last comma, of all levels. */
  parseMembers(): void {
    for (const [index, level] of this.#levels.entries()) {
      if (level.value === undefined) this.#begin(level, this.#levels[index - 1]);
      if (level.comma >= this.#from && this.#add(level, level.comma) === 0)
        throw new SyntaxError('a comma without a member');
      if (level.comma >= this.#from) this.#from = level.comma + 1;
    }
  }

  end(): Json {
    if (this.#root === undefined) return this.#parse(this.#text);
    if (this.#levels.length > 0) throw new SyntaxError('a bracket is not closed');
    this.#expectNothing(this.#from, this.#text.length);
    return this.#root;
  }

  /** A level gets a value of its own, in that of its parent. */
  #begin(level: Level, parent: Level | undefined): void {
    if (this.#isAfterMember) throw new SyntaxError('no comma after a member');
    level.value = level.isObject ? {} : [];
    if (parent?.value !== undefined && !isJsonArray(parent.value))
      setOwn(parent.value, this.#keyIn(this.#from, level.at), level.value);
    else {
      this.#expectNothing(this.#from, level.at);
      if (parent === undefined) this.#root = level.value;
      else (parent.value as Json[]).push(level.value);
    }
    this.#from = level.at + 1;
  }

  #keyIn(from: number, to: number): string {
    const colon = this.#text.lastIndexOf(':', to);
    this.#expectNothing(colon + 1, to);
    const [key, ...more] = this.#list(from, colon);
    if (typeof key !== 'string' || more.length > 0) throw new SyntaxError('no key');
    return key;
  }

  /** Adds the members from where nothing was parsed; returns how many there are. */
  #add({ value, isObject }: Level, to: number): number {
    if (!isObject) return addAll(value as Json[], this.#list(this.#from, to));
    const members = this.#parse(`{${this.#text.slice(this.#from, to)}}`) as Record<string, Json>;
    const keys = Object.keys(members);
    for (const key of keys) setOwn(value as Record<string, Json>, key, members[key] ?? null);
    return keys.length;
  }

  /** A comma after a member that was parsed. */
  #pass(at: number): void {
    this.#expectNothing(this.#from, at);
    this.#from = at + 1;
    this.#isAfterMember = false;
  }

  #expectNothing(from: number, to: number): void {
    if (this.#list(from, to).length > 0) throw new SyntaxError('more than one value');
  }

  #list(from: number, to: number): readonly Json[] {
    return this.#parse(`[${this.#text.slice(from, to)}]`) as readonly Json[];
  }
}

function addAll(to: Json[], values: readonly Json[]): number {
  for (const value of values) to.push(value);
  return values.length;
}

function lastOfString(text: string, start: number): number {
  const end = endOfString(text, start);
  return end === -1 ? text.length : end;
}
