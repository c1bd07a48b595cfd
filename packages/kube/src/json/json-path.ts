import { type Json, getOwn, isJsonArray, isJsonObject } from './json.ts';

/** One step of a simple JSONPath. */
type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'all' }
  | { readonly type: 'filter'; readonly field: readonly string[]; readonly equals: Json };

/** The steps of a JSONPath as CRDs may use it: `.a.b`, `['a.b']`, `[0]`, `[*]`, `[?(@.type=="Ready")]`. */
export type JsonPath = readonly Step[];

const FIELD = /^\.((?:[^.[\]\\]|\\.)+)/;
const QUOTED = /^\.?\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*\]/;
const INDEX = /^\.?\[\s*(-?\d+)\s*\]/;
const ALL = /^(?:\.?\[\s*\*\s*\]|\.\*)/;
const FILTER = /^\.?\[\s*\?\(\s*@((?:\.[A-Za-z0-9_-]+)+)\s*==\s*("[^"]*"|'[^']*'|true|false|-?\d+)\s*\)\s*\]/;

const unescape = (text: string): string => text.replaceAll(/\\(.)/g, '$1');

function literal(text: string): Json {
  if (text.startsWith('"') || text.startsWith("'")) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  return Number(text);
}

/** In the order in which they are tried. */
const readers: readonly (readonly [RegExp, (match: RegExpExecArray) => Step])[] = [
  [ALL, () => ({ type: 'all' })],
  [FILTER, (m) => ({ type: 'filter', field: (m[1] ?? '').slice(1).split('.'), equals: literal(m[2] ?? '') })],
  [QUOTED, (m) => ({ type: 'field', name: unescape(m[1] ?? m[2] ?? '') })],
  [INDEX, (m) => ({ type: 'index', index: Number(m[1]) })],
  [FIELD, (m) => ({ type: 'field', name: unescape(m[1] ?? '') })],
];

/** Undefined where the text is no path of this language. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = text === '.' ? '' : text;
  while (rest !== '') {
    const step = readStep(rest);
    if (step === undefined) return undefined;
    steps.push(step.step);
    rest = rest.slice(step.length);
  }
  return steps;
}

function readStep(text: string): { step: Step; length: number } | undefined {
  for (const [pattern, make] of readers) {
    const match = pattern.exec(text);
    if (match !== null) return { step: make(match), length: match[0].length };
  }
  return undefined;
}

/** Everything that the path finds, in document order. */
export function evaluateJsonPath(path: JsonPath, root: Json): readonly Json[] {
  let found: readonly Json[] = [root];
  for (const step of path) found = found.flatMap((value) => [...follow(step, value)]);
  return found;
}

function follow(step: Step, value: Json): readonly Json[] {
  switch (step.type) {
    case 'field':
      return isJsonObject(value) ? present(getOwn(value, step.name)) : [];
    case 'index':
      return isJsonArray(value) ? present(value.at(step.index)) : [];
    case 'all':
      return children(value);
    case 'filter':
      return children(value).filter((item) => fieldAt(item, step.field) === step.equals);
  }
}

function present(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : [value];
}

function children(value: Json): readonly Json[] {
  if (isJsonArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function fieldAt(value: Json, field: readonly string[]): Json | undefined {
  let current: Json | undefined = value;
  for (const name of field) current = isJsonObject(current) ? getOwn(current, name) : undefined;
  return current;
}
