import { jsonEqual } from '../json/json-equal.ts';
import { parseJson } from '../json/parse-json.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import { getOwn, type Json } from '../json/json.ts';
import { KubeError } from '../kube-error.ts';
import { MAX_GLOB_LENGTH, matchesGlob } from '../object/matches-glob.ts';
import { FieldSet } from './field-set.ts';
import { type ParsedPathElement, type Path, type PathElement, parsePathElement } from './path-element.ts';

/** One requirement on a list item's key: equal to a value, or like a glob (`aks-*`). */
type KeyMatch =
  | { readonly key: string; readonly equals: Json }
  | { readonly key: string; readonly like: (text: string) => boolean };

type StepMatch =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'keys'; readonly matches: readonly KeyMatch[] }
  | { readonly type: 'value'; readonly equals: Json }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'any' };

/** One step, and how it was written. */
export type PatternStep = StepMatch & { readonly text: string };

/** A part of an object, everything below it included. */
export type PathPattern = {
  readonly text: string;
  /** Written with a leading `!`: takes away from what the other patterns select. */
  readonly exclude: boolean;
  readonly steps: readonly PatternStep[];
};

const NAME = /^\.?([^.[\]'"!]+)/;
const QUOTED = /^\.?\[\s*'((?:[^'\\]|\\.)*)'\s*\]/;
const BRACKET = /^\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*)\]/;
const MATCH = /^([^=~\s]*)\s*(=~|=)\s*("(?:[^"\\]|\\.)*"|[^,\s]+)\s*(?:,|$)/;

/**
 * Reads a pattern: `spec.template.spec.initContainers`, `metadata.labels['app.kubernetes.io/name']`,
 * `spec.ports[port=53,protocol="UDP"]`, `…initContainers[name=~"aks-*"].image`, `spec.containers[*]`,
 * `metadata.finalizers[="a"]`; a leading `!` excludes. Throws `InvalidPath`.
 */
export function parsePathPattern(text: string): PathPattern {
  const exclude = text.startsWith('!');
  const steps: PatternStep[] = [];
  let rest = exclude ? text.slice(1) : text;
  while (rest !== '') {
    const { step, length } = readStep(rest) ?? unreadable(text, rest);
    steps.push({ ...step, text: rest.slice(0, length) });
    rest = rest.slice(length);
  }
  if (steps.length === 0)
    throw new KubeError('InvalidPath', `invalid path pattern ${JSON.stringify(text)}: it names nothing`);
  return { text, exclude, steps };
}

function unreadable(text: string, rest: string): never {
  throw new KubeError(
    'InvalidPath',
    `invalid path pattern ${JSON.stringify(text)}: cannot read ${JSON.stringify(rest)}`,
  );
}

type ReadStep = { readonly step: StepMatch; readonly length: number };

function readStep(text: string): ReadStep | undefined {
  const quoted = QUOTED.exec(text);
  if (quoted !== null) {
    return {
      step: { type: 'field', name: (quoted[1] ?? '').replaceAll(/\\(.)/g, '$1') },
      length: quoted[0].length,
    };
  }
  const name = NAME.exec(text);
  if (name !== null) return { step: { type: 'field', name: name[1] ?? '' }, length: name[0].length };
  const bracket = BRACKET.exec(text);
  const step = bracket === null ? undefined : readBracket((bracket[1] ?? '').trim());
  return bracket === null || step === undefined ? undefined : { step, length: bracket[0].length };
}

function readBracket(content: string): StepMatch | undefined {
  if (content === '*') return { type: 'any' };
  if (/^\d+$/.test(content)) return { type: 'index', index: Number(content) };
  if (content.startsWith('=') && !content.startsWith('=~'))
    return { type: 'value', equals: literal(content.slice(1)) };
  return readMatches(content);
}

function readMatches(content: string): StepMatch | undefined {
  const matches: KeyMatch[] = [];
  let rest = content;
  while (rest !== '') {
    const match = MATCH.exec(rest);
    if (match === null || match[1] === '') return undefined;
    matches.push(keyMatch(match[1] ?? '', match[2] ?? '', literal(match[3] ?? '')));
    rest = rest.slice(match[0].length).trimStart();
  }
  return matches.length === 0 ? undefined : { type: 'keys', matches };
}

function keyMatch(key: string, operator: string, operand: Json): KeyMatch {
  return operator === '='
    ? { key, equals: operand }
    : { key, like: globOf(typeof operand === 'string' ? operand : stringifyJson(operand)) };
}

/** `*` stands for any characters, `?` for one. */
function globOf(glob: string): (text: string) => boolean {
  if (glob.length <= MAX_GLOB_LENGTH) return (text) => matchesGlob(glob, text, '?');
  throw new KubeError(
    'InvalidPath',
    `invalid path pattern: a glob has at most ${MAX_GLOB_LENGTH} characters`,
  );
}

/** A bare word is a string: `[name=web]`. */
function literal(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text.trim();
  }
}

/** Whether a path is the one that the pattern names, or lies below it. */
export function matchesPattern(pattern: PathPattern, path: Path): boolean {
  return (
    path.length >= pattern.steps.length && pattern.steps.every((step, i) => matchesStep(step, path[i] ?? ''))
  );
}

function matchesStep(step: PatternStep, element: PathElement): boolean {
  const parsed = parsePathElement(element);
  switch (step.type) {
    case 'any':
      return true;
    case 'field':
      return parsed.type === 'field' && parsed.name === step.name;
    case 'index':
      return parsed.type === 'index' && parsed.index === step.index;
    case 'value':
      return parsed.type === 'value' && jsonEqual(parsed.value, step.equals);
    case 'keys':
      return matchesKeys(step.matches, parsed);
  }
}

function matchesKeys(matches: readonly KeyMatch[], parsed: ParsedPathElement): boolean {
  if (parsed.type !== 'key') return false;
  return matches.every((match) => {
    const value = getOwn(parsed.keys, match.key);
    if ('equals' in match) return jsonEqual(value, match.equals);
    return typeof value === 'string' && match.like(value);
  });
}

/**
 * The paths that the patterns select: those at or below one of them, without those at or below an excluding one. Where
 * every pattern excludes, the rest of the set. A pattern that points into an atomic field selects nothing: there is no
 * claim below it.
 */
export function selectByPattern(set: FieldSet, patterns: readonly PathPattern[]): FieldSet {
  const including = patterns.filter((pattern) => !pattern.exclude);
  const chosen = including.length === 0 ? set : selectAny(set, including);
  const excluded = patterns.filter((pattern) => pattern.exclude);
  return excluded.length === 0 ? chosen : chosen.difference(selectAny(set, excluded));
}

function selectAny(set: FieldSet, patterns: readonly PathPattern[]): FieldSet {
  return patterns.reduce(
    (selected, pattern) => selected.union(selectSteps(set, pattern.steps)),
    FieldSet.EMPTY,
  );
}

function selectSteps(set: FieldSet, steps: readonly PatternStep[]): FieldSet {
  const [step, ...rest] = steps;
  if (step === undefined) return set;
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const element of rest.length === 0 ? set.members : [])
    if (matchesStep(step, element)) members.add(element);
  for (const [element, child] of set.children) {
    const selected = matchesStep(step, element) ? selectSteps(child, rest) : FieldSet.EMPTY;
    if (!selected.isEmpty) children.set(element, selected);
  }
  return set.with(members, children);
}
