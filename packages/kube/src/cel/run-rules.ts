import { canonicalJson } from '../json/stringify-json.ts';
import { jsonEqual } from '../json/json-equal.ts';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
} from '../json/json.ts';
import type { FieldError } from '../schema/field-error.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import type { CelMeter } from './cel-meter.ts';
import { evaluateRules } from './evaluate-rules.ts';
import type { Place, RuleRun } from './rule-run.ts';
import type { RuleTree } from './rule-tree.ts';

/** Cost limit of all evaluations on one object: about 200 ms. */
const OBJECT_BUDGET = 1_000_000;

/** Runs the rules of a schema on an object. */
export function runRules(tree: RuleTree, meter: CelMeter, value: Json, old: Json | undefined): FieldError[] {
  const run: RuleRun = { meter, errors: [], budget: OBJECT_BUDGET };
  visit(run, tree, placeOf(value, old, ''));
  return run.errors;
}

function visit(run: RuleRun, tree: RuleTree, place: Place): void {
  if (place.value === null || run.budget < 0) return;
  evaluateRules(run, tree, place);
  for (const nested of tree.allOf) visit(run, nested, place);
  if (isJsonArray(place.value)) visitItems(run, tree, place, place.value);
  else if (isJsonObject(place.value)) visitMembers(run, tree, place, place.value);
}

function visitMembers(run: RuleRun, tree: RuleTree, place: Place, value: JsonObject): void {
  const old = isJsonObject(place.old) ? place.old : undefined;
  for (const [key, member] of Object.entries(value)) {
    const below = tree.fields.get(key) ?? tree.values;
    if (!below) continue;
    const path = tree.fields.has(key) ? childPath(place.path, key) : `${place.path}[${key}]`;
    visit(run, below, placeOf(member, old && getOwn(old, key), path));
  }
}

/** An item of a list of type `map` has an old value: the old item with the same keys. Other items have none. */
function visitItems(run: RuleRun, tree: RuleTree, place: Place, list: JsonArray): void {
  if (!tree.items) return;
  const past = oldItems(tree.node, place.old);
  for (const [index, item] of list.entries()) {
    const path = `${place.path}[${index}]`;
    const next = past
      ? placeOf(item, past.get(keysOf(tree.node, item)), path)
      : { value: item, old: undefined, path, isUnchanged: place.isUnchanged };
    visit(run, tree.items, next);
  }
}

function placeOf(value: Json, old: Json | undefined, path: string): Place {
  return { value, old, path, isUnchanged: () => old !== undefined && jsonEqual(value, old) };
}

function oldItems(node: SchemaNode, old: Json | undefined): Map<string, Json> | undefined {
  if (node.kind !== 'list' || node.listType !== 'map') return undefined;
  return new Map(isJsonArray(old) ? old.map((item) => [keysOf(node, item), item]) : []);
}

function keysOf(node: SchemaNode, item: Json): string {
  if (node.kind !== 'list' || !isJsonObject(item)) return '';
  return canonicalJson(node.keys.map((key) => getOwn(item, key) ?? null));
}

function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
