import {
  defined,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  stringifyJson,
} from '@kubewright/kube';
import type { Review } from '../decide/review.ts';
import type { LoggedDecision } from './decision-logs.ts';

/** Of one object, as JSON: of a larger one, nothing. A log with fifty of the largest is what a server still stores. */
const MOST_CHARACTERS = 4000;
const DEEPEST = 40;

/** Fields whose values may be secret; an expression that names one cannot be replayed. */
export const MAY_BE_SECRET =
  /annotations|\benv\b|pass(?:word|phrase)|secret|token|credential|(?:private|api|access).?key/i;

/**
 * What expressions of approval policies read of a change, so that they can be replayed. Secrets are not kept at all; of
 * other objects, values that may be secret are numbers: equal values of one change have the same number.
 */
export function seenObjects(
  { operation, object, old }: Review,
  parent: KubeObject | undefined,
): NonNullable<LoggedDecision['seen']> {
  const numbers = new Map<string, string>();
  const text = (one: KubeObject | undefined): string | undefined =>
    one === undefined || isSecret(one) ? undefined : textOf(one, numbers);
  return defined({
    old: text(operation === 'CREATE' ? undefined : old),
    new: text(operation === 'DELETE' ? undefined : object),
    parent: text(parent),
  });
}

function isSecret({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

type Walk = { readonly numbers: Map<string, string>; left: number };

/** Undefined: it is too large, or nested too deep. */
function textOf({ metadata, ...object }: KubeObject, numbers: Map<string, string>): string | undefined {
  const { managedFields: _fields, annotations = {}, ...kept } = metadata;
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...others } = annotations;
  const walk: Walk = { numbers, left: MOST_CHARACTERS };
  const whole = { ...object, metadata: { ...kept, annotations: others } } as JsonObject;
  const json = copyOf(whole, walk, { depth: 0, isHidden: false });
  const text = json === undefined ? undefined : stringifyJson(json);
  return text === undefined || text.length > MOST_CHARACTERS ? undefined : text;
}

type Place = { readonly depth: number; readonly isHidden: boolean };

/** Ends as soon as it has seen too much: anybody may write objects of a megabyte. */
function copyOf(value: Json, walk: Walk, { depth, isHidden }: Place): Json | undefined {
  if (depth > DEEPEST || (walk.left -= typeof value === 'string' ? value.length : 1) < 0) return undefined;
  if (isJsonArray(value)) return copyOfList(value, walk, { depth: depth + 1, isHidden });
  if (isJsonObject(value)) return copyOfMap(value, walk, { depth: depth + 1, isHidden });
  return isHidden && typeof value === 'string' ? numberOf(value, walk.numbers) : value;
}

function copyOfList(list: readonly Json[], walk: Walk, place: Place): Json | undefined {
  const copies: Json[] = [];
  for (const one of list) {
    const copy = copyOf(one, walk, place);
    if (copy === undefined) return undefined;
    copies.push(copy);
  }
  return copies;
}

function copyOfMap(map: JsonObject, walk: Walk, { depth, isHidden }: Place): Json | undefined {
  const copies: [string, Json][] = [];
  for (const key of Object.keys(map)) {
    walk.left -= key.length;
    const place = { depth, isHidden: isHidden || MAY_BE_SECRET.test(key) };
    const copy = copyOf(getOwn(map, key) ?? null, walk, place);
    if (copy === undefined) return undefined;
    copies.push([key, copy]);
  }
  return Object.fromEntries(copies);
}

function numberOf(value: string, numbers: Map<string, string>): string {
  const number = numbers.get(value) ?? `hidden-${numbers.size + 1}`;
  numbers.set(value, number);
  return number;
}
