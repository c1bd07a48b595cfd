import type { Environment } from '@marcbachmann/cel-js';
import { goRegExp, spendOnMatch } from '../go-regexp.ts';
import { weightOf } from '../cel-cost.ts';
import { spendOnCall } from '../cel-meter.ts';
import { trimSpace } from '../trim-space.ts';
import { failed } from '../failed.ts';
import { formatString } from './format-string.ts';
import { CONVERSIONS } from './register-conversions.ts';
import { TIME_FUNCTIONS } from './register-times.ts';
import { registerNamespace } from './register-namespace.ts';

/** Functions of the CEL library that differ from Kubernetes', with the names of our replacements. */
export const REPLACED_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['matches', 'matchesRe2'],
  ['lowerAscii', 'toLowerAscii'],
  ['upperAscii', 'toUpperAscii'],
  ['substring', 'substringOfRunes'],
  ['indexOf', 'firstIndexOf'],
  ['lastIndexOf', 'finalIndexOf'],
  ['split', 'splitText'],
  ['trim', 'trimText'],
  ...CONVERSIONS,
  ...TIME_FUNCTIONS,
]);

/** cel-go's string extensions (version 2) and Kubernetes' regular expressions, as far as the library lacks them. */
export function registerStrings(environment: Environment): void {
  registerText(environment);
  registerPositions(environment);
  registerPatterns(environment);
  const strings = registerNamespace(environment, 'strings');
  environment.registerFunction(`${strings}.quote(string): string`, (_: unknown, text: string) => quote(text));
}

function registerText(environment: Environment): void {
  environment
    .registerFunction('string.toLowerAscii(): string', (text: string) =>
      text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
    )
    .registerFunction('string.toUpperAscii(): string', (text: string) =>
      text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
    )
    .registerFunction('string.replace(string, string): string', replace)
    .registerFunction('string.replace(string, string, int): string', replace)
    .registerFunction('string.splitText(string): list<string>', split)
    .registerFunction('string.splitText(string, int): list<string>', split)
    .registerFunction('string.trimText(): string', trimSpace)
    .registerFunction('string.format(list): string', formatString);
}

/** Functions about positions, which count characters, not UTF-16 units. */
function registerPositions(environment: Environment): void {
  environment
    .registerFunction('string.charAt(int): string', charAt)
    .registerFunction('string.substringOfRunes(int): string', substring)
    .registerFunction('string.substringOfRunes(int, int): string', substring)
    .registerFunction('string.firstIndexOf(string): int', firstIndexOf)
    .registerFunction('string.firstIndexOf(string, int): int', firstIndexOf)
    .registerFunction('string.finalIndexOf(string): int', finalIndexOf)
    .registerFunction('string.finalIndexOf(string, int): int', finalIndexOf);
}

function registerPatterns(environment: Environment): void {
  environment
    .registerFunction('matchesRe2(string, string): bool', matches)
    .registerFunction('string.matchesRe2(string): bool', matches)
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAll(text, pattern),
    )
    .registerFunction(
      'string.findAll(string, int): list<string>',
      (text: string, pattern: string, limit: bigint) =>
        findAll(text, pattern, limit < 0n ? undefined : Number(limit)),
    );
}

function matches(text: string, pattern: string): boolean {
  const compiled = goRegExp(pattern);
  spendOnMatch(compiled, text.length);
  return compiled.test(text);
}

function findAll(text: string, pattern: string, limit = Infinity): string[] {
  const found: string[] = [];
  if (limit === 0) return found;
  const compiled = goRegExp(pattern);
  spendOnMatch(compiled, text.length);
  for (const match of compiled.findAll(text)) {
    found.push(match.text);
    if (found.length === limit) break;
    spendOnMatch(compiled, text.length - match.end);
  }
  return found;
}

function charAt(text: string, index: bigint): string {
  const characters = Array.from(text);
  return characters[within(index, characters.length)] ?? '';
}

function substring(text: string, start: bigint, end?: bigint): string {
  const characters = Array.from(text);
  const from = within(start, characters.length);
  const to = end === undefined ? characters.length : within(end, characters.length);
  if (from > to) throw failed(`invalid substring range. start: ${from}, end: ${to}`);
  return characters.slice(from, to).join('');
}

function firstIndexOf(text: string, part: string, offset = 0n): bigint {
  const characters = Array.from(text);
  const start = positive(offset);
  if (start > characters.length) return -1n;
  const found = characters.slice(start).join('').indexOf(part);
  return found < 0
    ? -1n
    : BigInt(start + Array.from(characters.slice(start).join('').slice(0, found)).length);
}

function finalIndexOf(text: string, part: string, offset?: bigint): bigint {
  const characters = Array.from(text);
  const last = offset === undefined ? characters.length : positive(offset);
  if (last > characters.length) return -1n;
  const wanted = Array.from(part);
  for (let start = Math.min(last, characters.length - wanted.length); start >= 0; start--) {
    if (wanted.every((character, i) => characters[start + i] === character)) return BigInt(start);
  }
  return -1n;
}

function within(index: bigint, length: number): number {
  if (index < 0n || index > BigInt(length)) throw failed(`index out of range: ${index}`);
  return Number(index);
}

function positive(index: bigint): number {
  if (index < 0n) throw failed(`index out of range: ${index}`);
  return Number(index);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  return `"${Array.from(text, (character) => ESCAPES[character] ?? character).join('')}"`;
}

/** Negative: all of them. An empty text is found before each character and at the end. */
function replace(text: string, from: string, to: string, limit = -1n): string {
  const parts = from === '' ? ['', ...Array.from(text), ''] : text.split(from);
  const replaced = limit < 0n ? parts.length - 1 : Math.min(Number(limit), parts.length - 1);
  spendOnCall(replaced * weightOf(to));
  return [parts.slice(0, replaced + 1).join(to), ...parts.slice(replaced + 1)].join(from);
}

/** At most so many parts, of which the last has the rest; negative: all of them. */
function split(text: string, separator: string, limit = -1n): string[] {
  if (limit === 0n) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0n || parts.length <= Number(limit)) return parts;
  const first = parts.slice(0, Number(limit) - 1);
  return [...first, parts.slice(Number(limit) - 1).join(separator)];
}
