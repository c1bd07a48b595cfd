import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import type { Announced, ChildFields, Profile, Working } from '../profiles/profile.ts';
import { CONDITION_STATUSES, LIMITS } from './limits.ts';

export type ReadProfile = {
  /** Undefined: it cannot be read. */
  readonly profile?: Profile;
  /** Why not, field by field. */
  readonly problems: readonly string[];
};

type TextLimits = { readonly minLength?: number; readonly maxLength: number; readonly pattern?: string };
type Problem = (path: string, what: string) => undefined;

/**
 * The profile that the spec of a ControllerProfile gives. The server has validated it by the definition, unless that is
 * another one; it is read as if nobody had. Pure.
 */
export function readProfile(spec: Json | undefined): ReadProfile {
  const problems: string[] = [];
  const problem: Problem = (path, what) => void problems.push(`spec.${path}: ${what}`);
  if (!isJsonObject(spec)) return { problems: ['spec: is not an object'] };
  const given: JsonObject = spec;
  const texts = (name: string, limits: TextLimits): readonly string[] | undefined =>
    listAt(given, name, problem)?.flatMap((one, index) => textOf(one, limits, `${name}[${index}]`, problem));
  const text = (name: string, limits: TextLimits): string | undefined => {
    const value = getOwn(given, name);
    return value === undefined ? undefined : textOf(value, limits, name, problem)[0];
  };
  const children = (name: string): readonly ChildFields[] | undefined =>
    listAt(given, name, problem)?.flatMap((one, index) => childFields(one, `${name}[${index}]`, problem));
  const read = {
    ready: texts('ready', LIMITS.condition),
    observedGeneration: text('observedGeneration', LIMITS.field),
    working: listAt(given, 'working', problem)?.flatMap((one, index) => workingOf(one, index, problem)),
    due: texts('due', LIMITS.field),
    dueOnChild: texts('dueOnChild', LIMITS.annotation),
    varying: children('varying'),
    changing: children('changing'),
    transient: texts('transient', LIMITS.kind),
    announced: listAt(given, 'announced', problem)?.flatMap((one, index) =>
      announcedOf(one, `announced[${index}]`, problem),
    ),
    wanted: text('wanted', LIMITS.field),
    follows: texts('follows', LIMITS.followed),
    uncovered: text('uncovered', LIMITS.uncovered),
  };
  const group = text('group', LIMITS.group) ?? '';
  const kind = text('kind', LIMITS.kind) ?? '';
  if (kind === '' && problems.length === 0) problem('kind', 'is required');
  if (problems.length > 0) return { problems };
  const source = text('source', LIMITS.source) ?? '';
  const said = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
  return { profile: { group, kind, source, ...said }, problems };
}

function listAt(from: JsonObject, name: string, problem: Problem): readonly Json[] | undefined {
  const value = getOwn(from, name);
  if (value === undefined) return undefined;
  if (!isJsonArray(value)) return problem(name, 'is not a list');
  return value.length > LIMITS.most ? problem(name, `has more than ${LIMITS.most} items`) : value;
}

/** None or one. */
function textOf(value: Json, limits: TextLimits, path: string, problem: Problem): readonly string[] {
  const { minLength = 0, maxLength, pattern } = limits;
  const isText = typeof value === 'string' && value.length >= minLength && value.length <= maxLength;
  if (isText && (pattern === undefined || new RegExp(pattern, 'u').test(value))) return [value];
  problem(path, 'is not valid');
  return [];
}

function childFields(one: Json, path: string, problem: Problem): readonly ChildFields[] {
  const from: JsonObject = isJsonObject(one) ? one : {};
  const [kind] = textOf(getOwn(from, 'kind') ?? '', LIMITS.kind, `${path}.kind`, problem);
  const fields = listAt(from, 'fields', (_name, what) => problem(`${path}.fields`, what)) ?? [];
  const read = fields.flatMap((field) => textOf(field, LIMITS.field, `${path}.fields`, problem));
  return kind === undefined ? [] : [{ kind, fields: read }];
}

function announcedOf(one: Json, path: string, problem: Problem): readonly Announced[] {
  const from: JsonObject = isJsonObject(one) ? one : {};
  const text = (name: string, limits: TextLimits): string | undefined =>
    textOf(getOwn(from, name) ?? '', limits, `${path}.${name}`, problem)[0];
  const kind = text('kind', LIMITS.kind);
  const field = text('field', LIMITS.announcedField);
  const at = text('at', LIMITS.announcedAt);
  return kind === undefined || field === undefined || at === undefined ? [] : [{ kind, field, at }];
}

function workingOf(one: Json, index: number, problem: Problem): readonly Working[] {
  const from: JsonObject = isJsonObject(one) ? one : {};
  const path = `working[${index}]`;
  const text = (name: string, limits: TextLimits): string | undefined => {
    const value = getOwn(from, name);
    return value === undefined ? undefined : textOf(value, limits, `${path}.${name}`, problem)[0];
  };
  const condition = text('condition', LIMITS.condition);
  const status = CONDITION_STATUSES.find((word) => word === getOwn(from, 'status'));
  if (condition !== undefined && status !== undefined) return [{ condition, status }];
  const field = text('field', LIMITS.field);
  const differsFrom = text('differsFrom', LIMITS.field);
  if (field !== undefined && differsFrom !== undefined) return [{ field, differsFrom }];
  const values = listAt(from, 'values', (_name, what) => problem(`${path}.values`, what));
  if (field !== undefined && values !== undefined)
    return [
      {
        field,
        values: values.flatMap((value) => textOf(value, LIMITS.value, `${path}.values`, problem)),
      },
    ];
  problem(path, 'has neither field with values or differsFrom, nor condition with status');
  return [];
}
