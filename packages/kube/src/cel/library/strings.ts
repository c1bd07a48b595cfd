import type { Environment } from '@marcbachmann/cel-js';
import { quoteGo } from '../../object/quote-go.ts';
import { goRegExp } from '../go-regexp.ts';
import { failed } from './failed.ts';
import { formatString } from './format-string.ts';
import { registerNamespace } from './namespace.ts';

/** Functions of the CEL library that differ from Kubernetes', and the names of ours that stand in for them. */
export const REPLACED_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['matches', 'matchesRe2'],
  ['lowerAscii', 'toLowerAscii'],
  ['upperAscii', 'toUpperAscii'],
]);

/** cel-go's string extensions (version 2) and Kubernetes' regular expressions, as far as the library lacks them. */
export function registerStrings(environment: Environment): void {
  environment
    .registerFunction('matchesRe2(string, string): bool', matches)
    .registerFunction('string.matchesRe2(string): bool', matches)
    .registerFunction('string.toLowerAscii(): string', (text: string) =>
      text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
    )
    .registerFunction('string.toUpperAscii(): string', (text: string) =>
      text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
    )
    .registerFunction('string.charAt(int): string', charAt)
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.split(from).join(to),
    )
    .registerFunction('string.replace(string, string, int): string', replaceSome)
    .registerFunction('string.format(list): string', formatString)
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => goRegExp(pattern).exec(text)?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAll(text, pattern),
    )
    .registerFunction(
      'string.findAll(string, int): list<string>',
      (text: string, pattern: string, limit: bigint) =>
        limit < 0n ? findAll(text, pattern) : findAll(text, pattern).slice(0, Number(limit)),
    );
  const strings = registerNamespace(environment, 'strings');
  environment.registerFunction(`${strings}.quote(string): string`, (_: unknown, text: string) =>
    quoteGo(text),
  );
}

function matches(text: string, pattern: string): boolean {
  return goRegExp(pattern).test(text);
}

function findAll(text: string, pattern: string): string[] {
  const { source, flags } = goRegExp(pattern);
  return Array.from(text.matchAll(new RegExp(source, `${flags}g`)), ([match]) => match);
}

function charAt(text: string, index: bigint): string {
  const characters = Array.from(text);
  if (index < 0n || index > BigInt(characters.length)) throw failed(`index out of range: ${index}`);
  return characters[Number(index)] ?? '';
}

function replaceSome(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return text.split(from).join(to);
  const parts = text.split(from);
  const replaced = Math.min(Number(limit), parts.length - 1);
  return [parts.slice(0, replaced + 1).join(to), ...parts.slice(replaced + 1)].join(from);
}
