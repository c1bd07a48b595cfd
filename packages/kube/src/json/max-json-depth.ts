import type { Json } from './json.ts';

/**
 * How deep objects and arrays may nest. A real API server reads 10,000 levels; V8's stack does not carry recursion
 * (its own `JSON.stringify` included) that far. Kubernetes' deepest types need about a hundred.
 */
export const MAX_JSON_DEPTH = 1000;

/** A request body is 3 MiB at most. Longer texts are lists whose items a server has already accepted. */
const MAX_CHECKED_LENGTH = 4 * 1024 * 1024;

/** True if `text`, JSON or not, opens more brackets than {@link MAX_JSON_DEPTH} at once. */
export function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_JSON_DEPTH || text.length > MAX_CHECKED_LENGTH) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) i = endOfString(text, i);
    else if ((code | 32) === 123 && ++depth > MAX_JSON_DEPTH) return true;
    else if ((code | 32) === 125) depth--;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 92) i++;
    else if (code === 34) return i;
  }
  return text.length;
}

/** True if `value` nests deeper than {@link MAX_JSON_DEPTH}. Recurses no deeper than that. */
export function isNestedTooDeep(value: Json, allowed: number = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return allowed === 0 || Object.values(value).some((member) => isNestedTooDeep(member, allowed - 1));
}
