import { compileRe2 } from './compile-re2.ts';

/** What Go's parser calls a problem, and what finds it; the first match is quoted. */
const problems: readonly [find: (pattern: string) => string | undefined, name: string][] = [
  [(pattern) => /\(\?(?:<?[=!]|>|#)/.exec(pattern)?.[0], 'invalid or unsupported Perl syntax'],
  [(pattern) => /\\[1-9a-zA-Z]/.exec(withoutKnownEscapes(pattern))?.[0], 'invalid escape sequence'],
  [openClass, 'missing closing ]'],
  [(pattern) => (balance(pattern) > 0 ? pattern : undefined), 'missing closing )'],
  [(pattern) => (balance(pattern) < 0 ? pattern : undefined), 'unexpected )'],
  [(pattern) => /(?<=^|\(|\|)[*+?]/.exec(pattern)?.[0], 'missing argument to repetition operator'],
];

/** The error text of Go's `regexp.Compile` for a pattern; undefined for a valid one. */
export function re2Problem(pattern: string): string | undefined {
  if (compileRe2(pattern) !== undefined) return undefined;
  for (const [find, name] of problems) {
    const quoted = find(pattern);
    if (quoted !== undefined) return `error parsing regexp: ${name}: \`${quoted}\``;
  }
  return `error parsing regexp: invalid or unsupported syntax: \`${pattern}\``;
}

function withoutKnownEscapes(pattern: string): string {
  return pattern.replaceAll(/\\(?:[pPx]\{?\w+\}?|[AaBbCDdfnQErSstvWwz]|[^a-zA-Z0-9])/g, '');
}

function openClass(pattern: string): string | undefined {
  const start = pattern.lastIndexOf('[');
  return start >= 0 && !pattern.slice(start + 1).includes(']') ? pattern.slice(start) : undefined;
}

function balance(pattern: string): number {
  const plain = pattern.replaceAll(/\\./g, '');
  return plain.split('(').length - plain.split(')').length;
}
