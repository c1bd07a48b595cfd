import { endOfString } from './end-of-string.ts';
import { KubeError } from '../kube-error.ts';
import { MAX_JSON_DEPTH } from './max-json-depth.ts';
import { readNumber, type NumberCursor } from './read-number.ts';
import { describeBadString } from './describe-bad-string.ts';
import { type Json, setOwn } from './json.ts';

/** What a strict reading finds beside the value. */
export type ReadResult = { readonly value: Json; readonly duplicates: string[] };

/** Go stops collecting strict errors here; so do we, or a hostile body could make its response huge. */
const MAX_DUPLICATES = 100;

/** A control character or a backslash: anything outside space to `[` and `]` upwards. */
const NEEDS_DECODING = /[^ -[\]-\uffff]/;

/**
 * A reader that keeps what `JSON.parse` loses: integers beyond 2^53 and duplicate fields.
 * Its errors are worded as Go's `encoding/json` words them, because clients read them in a `Status`.
 */
class JsonReader implements NumberCursor {
  readonly text: string;
  at = 0;
  private readonly path: (string | number)[] = [];
  private readonly duplicates = new Set<string>();

  constructor(text: string) {
    this.text = text;
  }

  readDocument(): ReadResult {
    const value = this.readValue();
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpected('after top-level value');
    return { value, duplicates: [...this.duplicates] };
  }

  /** The error for the character at the cursor, or for the end of the text. */
  unexpected(context: string): KubeError {
    if (this.at >= this.text.length) return new KubeError('InvalidJson', 'unexpected end of JSON input');
    // Go reports bytes: the first one of a non-ASCII character.
    const code = this.text.codePointAt(this.at) ?? 0;
    const char = String.fromCodePoint(code < 0x80 ? code : firstByte(code));
    return new KubeError('InvalidJson', `invalid character ${quoteCharacter(char)} ${context}`);
  }

  private readValue(): Json {
    this.skipSpace();
    switch (this.text[this.at]) {
      case '{':
        return this.readObject();
      case '[':
        return this.readArray();
      case '"':
        return this.readString();
      case 't':
        return this.readLiteral('true', true);
      case 'f':
        return this.readLiteral('false', false);
      case 'n':
        return this.readLiteral('null', null);
      default:
        return readNumber(this);
    }
  }

  private readObject(): Json {
    const result: Record<string, Json> = {};
    this.enter();
    if (this.closes('}')) return result;
    do {
      this.skipSpace();
      if (this.text[this.at] !== '"') throw this.unexpected('looking for beginning of object key string');
      const key = this.readString();
      this.expect(':', 'after object key');
      if (Object.hasOwn(result, key)) this.noteDuplicate(key);
      this.path.push(key);
      setOwn(result, key, this.readValue());
      this.path.pop();
    } while (this.continues('}', 'after object key:value pair'));
    return result;
  }

  private readArray(): Json {
    const result: Json[] = [];
    this.enter();
    if (this.closes(']')) return result;
    do {
      this.path.push(result.length);
      result.push(this.readValue());
      this.path.pop();
    } while (this.continues(']', 'after array element'));
    return result;
  }

  private readString(): string {
    const start = this.at;
    const end = endOfString(this.text, start);
    const raw = this.text.slice(start + 1, end < 0 ? undefined : end);
    if (end > 0 && !NEEDS_DECODING.test(raw)) {
      this.at = end + 1;
      return raw;
    }
    const bad = describeBadString(raw);
    if (bad) {
      this.at = start + 1 + bad.offset;
      throw this.unexpected(bad.context);
    }
    if (end < 0) throw new KubeError('InvalidJson', 'unexpected end of JSON input');
    this.at = end + 1;
    return JSON.parse(`"${raw}"`) as string;
  }

  private readLiteral<T extends Json>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      if (this.text[this.at + i] === word[i]) continue;
      this.at += i;
      throw this.unexpected(`in literal ${word} (expecting '${word[i]}')`);
    }
    this.at += word.length;
    return value;
  }

  private enter(): void {
    if (this.path.length >= MAX_JSON_DEPTH) throw new KubeError('InvalidJson', 'exceeded max depth');
    this.at++;
  }

  private closes(bracket: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== bracket) return false;
    this.at++;
    return true;
  }

  private continues(bracket: string, context: string): boolean {
    if (this.closes(bracket)) return false;
    this.expect(',', context);
    return true;
  }

  private expect(char: string, context: string): void {
    this.skipSpace();
    if (this.text[this.at] !== char) throw this.unexpected(context);
    this.at++;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.at++;
    }
  }

  private noteDuplicate(key: string): void {
    if (this.duplicates.size < MAX_DUPLICATES) this.duplicates.add(formatFieldPath([...this.path, key]));
  }
}

/** Reads a whole document, keeping large integers and noting duplicate fields. */
export function readJson(text: string): ReadResult {
  return new JsonReader(text).readDocument();
}

/** `spec.containers[0].image`: how Go's strict decoder names a place. */
function formatFieldPath(path: readonly (string | number)[]): string {
  let out = '';
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else out += out === '' ? step : `.${step}`;
  }
  return out;
}

function firstByte(code: number): number {
  if (code < 0x800) return 0xc0 | (code >> 6);
  return code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
}

function quoteCharacter(char: string): string {
  if (char === "'") return String.raw`'\''`;
  if (char === '"') return `'"'`;
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0x20 && code !== 0x7f) return `'${char === '\\' ? '\\\\' : char}'`;
  const named: Record<string, string> = { '\n': 'n', '\t': 't', '\r': 'r', '\b': 'b', '\f': 'f', '\v': 'v' };
  return `'\\${named[char] ?? (code === 7 ? 'a' : `x${code.toString(16).padStart(2, '0')}`)}'`;
}
