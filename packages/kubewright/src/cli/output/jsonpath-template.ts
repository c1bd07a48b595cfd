import {
  evaluateJsonPath,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonPath,
  parseJsonPath,
  stringifyJson,
} from '@kubewright/kube';
import { KubewrightError } from '../../kubewright-error.ts';

/** A part of a template: text, a path, or what is repeated for each value of a path. */
type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'path'; readonly path: JsonPath }
  | { readonly type: 'range'; readonly path: JsonPath; readonly parts: readonly Part[] };

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/**
 * A template as kubectl's `-o jsonpath` takes it: `{.items[*].name}`, `{range .items[*]}{.name}{"\n"}{end}`. A template
 * without braces is one path. What is not there prints nothing.
 */
export function jsonpathTemplate(template: string): (value: Json) => string {
  const tokens = (template.includes('{') ? template : `{${template}}`).match(
    /\{(?:"[^"]*"|'[^']*'|[^{}])*\}|[^{]+|\{/g,
  );
  const rest = [...(tokens ?? [])];
  const parts = readParts(rest, template, false);
  return (value) => parts.map((part) => print(part, value)).join('');
}

/** Takes the tokens up to the end, or to `{end}` within a range. */
function readParts(tokens: string[], template: string, isRange: boolean): readonly Part[] {
  const parts: Part[] = [];
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    const inner = token.startsWith('{') ? token.slice(1, -1).trim() : undefined;
    if (inner === 'end' && isRange) return parts;
    if (inner === undefined) parts.push({ type: 'text', text: token });
    else if (/^["']/.test(inner)) parts.push({ type: 'text', text: unquoted(inner) });
    else if (inner.startsWith('range '))
      parts.push({
        type: 'range',
        path: pathOf(inner.slice(6).trim(), template),
        parts: readParts(tokens, template, true),
      });
    else parts.push({ type: 'path', path: pathOf(inner, template) });
  }
  if (isRange) throw wrong(template, 'a {range} has no {end}');
  return parts;
}

function unquoted(text: string): string {
  return text.slice(1, -1).replaceAll(/\\(.)/g, (_all, letter: string) => ESCAPES[letter] ?? letter);
}

/** `$` and `@` are the value itself; a first dot may be left out. */
function pathOf(text: string, template: string): JsonPath {
  const rooted = text.replace(/^[$@]/, '');
  const path = parseJsonPath(rooted === '' || /^[.[]/.test(rooted) ? rooted : `.${rooted}`);
  if (path === undefined || text === '')
    throw wrong(template, `{${text}} is no path; write it like {.items[*].name}`);
  return path;
}

function wrong(template: string, why: string): KubewrightError {
  return new KubewrightError('Usage', `--output jsonpath=${template}: ${why}`);
}

function print(part: Part, value: Json): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'path':
      return evaluateJsonPath(part.path, value).map(scalar).join(' ');
    case 'range':
      return evaluateJsonPath(part.path, value)
        .map((item) => part.parts.map((inner) => print(inner, item)).join(''))
        .join('');
  }
}

/** Objects and lists as JSON. */
export function scalar(value: Json): string {
  return isJsonObject(value) || isJsonArray(value) ? stringifyJson(value) : String(value);
}
