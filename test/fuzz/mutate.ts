import { compareText, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import type { Choices } from './choices.ts';
import type { View } from './view.ts';

/** `over` laid on `base`: objects are merged, all else is replaced. */
export function overlay(base: JsonObject, over: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = result[name];
    result[name] = isJsonObject(below) && isJsonObject(value) ? overlay(below, value) : value;
  }
  return result;
}

type Place = { readonly pointer: string; readonly value: Json };

/** In the order of their names: servers may write the same object in different orders. */
function sortedEntries(value: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(value).toSorted(([a], [b]) => compareText(a, b));
}

/** Every place inside a value that a client might touch. */
function places(value: Json, pointer = ''): Place[] {
  const children = isJsonArray(value)
    ? value.map((item, index) => [String(index), item] as const)
    : isJsonObject(value)
      ? sortedEntries(value)
      : [];
  return children.flatMap(([name, child]) => {
    const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [{ pointer: inner, value: child }, ...places(child, inner)];
  });
}

const UNTOUCHED =
  /^\/(?:apiVersion|kind|metadata\/(?:name|namespace|uid|resourceVersion|managedFields|creationTimestamp|deletionTimestamp|generation))/;

type JsonOperation = (random: Choices, there: Place, wanted: Place) => JsonObject;

const remove: JsonOperation = (_, { pointer }) => ({ op: 'remove', path: pointer });
const add: JsonOperation = (random, _, { pointer, value }) => ({
  op: random.chance(0.7) ? 'add' : 'replace',
  path: pointer,
  value,
});
const OPERATIONS: readonly JsonOperation[] = [
  remove,
  remove,
  (random, { pointer, value }, wanted) => ({
    op: 'replace',
    path: pointer,
    value: random.chance(0.8) ? value : wanted.value,
  }),
  (random, { pointer, value }) => ({
    op: 'test',
    path: pointer,
    value: random.chance(0.9) ? value : 'other',
  }),
  (random, { pointer }, wanted) => ({
    op: random.pick(['copy', 'move']),
    // All of it in another place has many errors, and Go reports the first in the order of its struct.
    from: pointer === '/metadata' ? '/metadata/name' : pointer,
    path: random.chance(0.5) ? wanted.pointer : `${pointer}x`,
  }),
  (_, { pointer, value }) => ({ op: 'add', path: pointer.replace(/\/\d+$/, '/-'), value }),
  add,
  add,
  add,
  add,
];

/** An RFC 6902 patch of one to three operations on places that are there, or almost. */
export function randomJsonPatch(random: Choices, live: JsonObject, fresh: JsonObject): Json {
  const touchable = (object: JsonObject): Place[] => {
    const found = places(object).filter(({ pointer }) => !UNTOUCHED.test(pointer));
    return found.length > 0 ? found : [{ pointer: '/data', value: { a: '1' } }];
  };
  const there = touchable(live);
  const wanted = touchable(fresh);
  return Array.from({ length: 1 + random.int(3) }, () =>
    random.pick(OPERATIONS)(random, random.pick(there), random.pick(wanted)),
  );
}

/** Some of the values replaced by null. */
function nulled(random: Choices, value: Json, probability: number): Json {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(
    ([name, child]) =>
      [name, random.chance(probability) ? null : nulled(random, child, probability)] as const,
  );
  return Object.fromEntries(entries);
}

/** An RFC 7386 patch; now and then with a resourceVersion. */
export function randomMerge(random: Choices, fresh: JsonObject, view: View): Json {
  const patch = nulled(random, fresh, 0.08) as JsonObject;
  const version = ((random.chance(0.5) ? view.stale : view.live)?.['metadata'] as JsonObject | undefined)?.[
    'resourceVersion'
  ];
  if (version === undefined || !random.chance(0.06)) return patch;
  return overlay(patch, { metadata: { resourceVersion: version } });
}

/** An item of a list, or a directive about the item with its keys. */
function directedItem(random: Choices, item: Json): Json {
  if (!isJsonObject(item)) return item;
  if (random.chance(0.12)) return { ...keysOf(item), $patch: random.chance(0.8) ? 'delete' : 'replace' };
  return directed(random, item);
}

/** Directives beside a list in its parent. */
function listDirectives(random: Choices, name: string, list: readonly Json[]): JsonObject {
  const result: Record<string, Json> = {};
  if (list.length > 1 && random.chance(0.2)) {
    const order = list.map((item) => (isJsonObject(item) ? keysOf(item) : item));
    result[`$setElementOrder/${name}`] = order.toReversed();
  }
  if (typeof list[0] === 'string' && random.chance(0.2))
    result[`$deleteFromPrimitiveList/${name}`] = [list[0]];
  return result;
}

/** Adds strategic merge directives to the maps and lists of a patch. */
function directed(random: Choices, value: JsonObject): JsonObject {
  const result: Record<string, Json> = {};
  for (const [name, child] of Object.entries(value)) {
    if (isJsonArray(child)) {
      const directives = listDirectives(random, name, child);
      const removed = directives[`$deleteFromPrimitiveList/${name}`] ?? [];
      // What is both added and removed stays or goes as Go's maps have it: any way.
      const sent = child.filter((item) => !(isJsonArray(removed) && removed.includes(item)));
      result[name] = sent.map((item) => directedItem(random, item));
      Object.assign(result, directives);
    } else if (random.chance(0.06)) result[name] = null;
    else result[name] = isJsonObject(child) ? directed(random, child) : child;
  }
  if (random.chance(0.03)) result['$patch'] = random.pick(['replace', 'merge', 'delete']);
  if (random.chance(0.04)) result['$retainKeys'] = random.some(Object.keys(value), 0.9);
  return result;
}

function keysOf(item: JsonObject): JsonObject {
  const names = ['name', 'containerPort', 'mountPath', 'type', 'uid', 'topologyKey', 'ip', 'key'];
  const kept = names.filter((name) => Object.hasOwn(item, name)).slice(0, 1);
  return Object.fromEntries(kept.map((name) => [name, item[name] ?? null]));
}

/** A strategic merge patch: usually plain, else with directives. */
export function randomStrategic(random: Choices, fresh: JsonObject): Json {
  return random.chance(0.5) ? fresh : directed(random, fresh);
}

/** Some branches of a field set cut off. */
function pruned(random: Choices, fields: Json): Json {
  if (!isJsonObject(fields)) return fields;
  const entries = sortedEntries(fields)
    .filter(() => random.chance(0.85))
    .map(([name, child]) => [name, pruned(random, child)] as const);
  return Object.fromEntries(entries);
}

const BROKEN: readonly JsonObject[] = [
  { manager: 'broken', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } },
  {
    manager: 'broken',
    operation: 'Other',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': {} },
  },
  {
    manager: 'broken',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV2',
    fieldsV1: { 'f:data': {} },
  },
  {
    manager: 'broken',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { data: {} },
  },
  { manager: 'broken', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
  {
    manager: 'broken',
    operation: 'Update',
    apiVersion: 'foo/v9',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': {} },
  },
];

/** Servers order entries by time, and seconds tick at other moments on each: here they are ordered by owner. */
function inOrder(entries: readonly JsonObject[]): JsonObject[] {
  const owner = ({ manager, operation, subresource, apiVersion }: JsonObject): string =>
    JSON.stringify([manager, operation, subresource, apiVersion]);
  return entries.toSorted((a, b) => compareText(owner(a), owner(b)));
}

/** Another list of managed fields: claims moved, dropped, doubled, renamed, broken or all given up. */
export function randomRewrite(random: Choices, entries: readonly Json[]): Json {
  if (random.chance(0.08)) return random.pick([[], [{}], null]);
  const kept = inOrder(entries.filter(isJsonObject)).filter(() => random.chance(0.85));
  const changed: Json[] = kept.map((entry) => {
    const fields = random.chance(0.4) ? pruned(random, entry['fieldsV1'] ?? {}) : (entry['fieldsV1'] ?? {});
    const manager = random.chance(0.2)
      ? random.pick(['alpha', 'beta', 'moved'])
      : (entry['manager'] ?? 'none');
    const operation = random.chance(0.15)
      ? random.pick(['Apply', 'Update'])
      : (entry['operation'] ?? 'Update');
    return { ...entry, manager, operation, fieldsV1: fields };
  });
  if (changed.length > 0 && random.chance(0.1)) changed.push(random.pick(changed));
  if (random.chance(0.05)) changed.push(random.pick(BROKEN));
  return changed;
}
