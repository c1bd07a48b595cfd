import { endOfString } from './end-of-string.ts';
import type { Json } from './json.ts';

/**
 * How deep objects and arrays may nest. A real API server reads 10,000 levels; V8's stack does not carry recursion
 * (its own `JSON.stringify` included) that far. Kubernetes' deepest types need about a hundred.
 */
export const MAX_JSON_DEPTH = 1000;

/**
 * The most values that the body of a request may hold: a few bytes each take V8 fifty times their length. Objects of
 * Kubernetes have twenty bytes and more to a value, and etcd takes 1.5 MiB of them.
 */
export const MAX_BODY_VALUES = 300_000;

/** What makes `text`, JSON or not, too large to parse: it opens more brackets than {@link MAX_JSON_DEPTH} at once, or has too many values. */
export function excessIn(text: string, maxValues: number = Number.POSITIVE_INFINITY): string | undefined {
  // Each value has a character of its own: what is short, or opens few brackets, need not be read for it.
  const isSmall = text.length <= maxValues && bracketsIn(text) <= MAX_JSON_DEPTH;
  return isSmall ? undefined : readExcess(text, maxValues);
}

function readExcess(text: string, maxValues: number): string | undefined {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) i = lastOfString(text, i);
    else if (code === 44) values++;
    else if ((code | 32) === 123) {
      values++;
      if (++depth > MAX_JSON_DEPTH) return 'exceeded max depth';
    } else if ((code | 32) === 125) depth--;
    if (values > maxValues) return `exceeded ${maxValues} values`;
  }
  return undefined;
}

/** How many open, in strings too; counted no further than one more than may be. An upper bound of the depth. */
function bracketsIn(text: string): number {
  if (text.length < 2 * MAX_JSON_DEPTH) return 0;
  let brackets = 0;
  for (const bracket of '{[') {
    let at = text.indexOf(bracket);
    while (at !== -1 && ++brackets <= MAX_JSON_DEPTH) at = text.indexOf(bracket, at + 1);
  }
  return brackets;
}

function lastOfString(text: string, start: number): number {
  const end = endOfString(text, start);
  return end === -1 ? text.length : end;
}

/** True if `value` nests deeper than {@link MAX_JSON_DEPTH}. Recurses no deeper than that. */
export function isNestedTooDeep(value: Json, allowed: number = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return allowed === 0 || Object.values(value).some((member) => isNestedTooDeep(member, allowed - 1));
}
