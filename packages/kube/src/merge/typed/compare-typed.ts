import { jsonEqual } from '../../json/json-equal.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { FieldSet } from '../../fields/field-set.ts';
import { FieldSetBuilder } from '../../fields/field-set-builder.ts';
import type { PathElement } from '../../fields/path-element.ts';
import type { ListNode, SchemaNode } from '../../schema/schema-node.ts';
import { groupItems } from './item-element.ts';
import { asList, asObject, fieldNodeOrAny, isEmptyContainer, shapeOf } from './shape.ts';

/** What became different between two values of one type. No path is in two of the sets. */
export type Comparison = {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
};

/** What one place is, compared; the sets hold what lies below. */
type Difference = Comparison & { readonly self: 'same' | 'added' | 'removed' | 'modified' };

const NONE: Comparison = { added: FieldSet.EMPTY, removed: FieldSet.EMPTY, modified: FieldSet.EMPTY };
const SAME: Difference = { ...NONE, self: 'same' };
const ADDED: Difference = { ...NONE, self: 'added' };
const REMOVED: Difference = { ...NONE, self: 'removed' };
const MODIFIED: Difference = { ...NONE, self: 'modified' };

/** Compares two values of a type. Source: structured-merge-diff's `TypedValue.Compare`. */
export function compareTyped(node: SchemaNode, before: Json, after: Json): Comparison {
  return compare(node, before, after);
}

/** Values that are the same object are the same value: an unchanged part costs nothing. */
function compare(node: SchemaNode, before: Json | undefined, after: Json | undefined): Difference {
  if (before === after) return SAME;
  if (before === undefined) return { ...NONE, self: 'added', added: everythingBelow(node, after ?? null) };
  if (after === undefined) return { ...NONE, self: 'removed', removed: everythingBelow(node, before) };
  const [from, to] = [shapeOf(node, before), shapeOf(node, after)];
  if (from === to) return compareAs(to, node, before, after);
  return combine(compareAs(from, node, before, after), compareAs(to, node, before, after));
}

/** All that comes or goes with a value that comes or goes as a whole. Duplicates do so as one. */
function everythingBelow(node: SchemaNode, value: Json): FieldSet {
  const shape = shapeOf(node, value);
  if (shape === 'leaf' || isEmptyFor(shape, value)) return FieldSet.EMPTY;
  const builder = new FieldSetBuilder();
  if (shape === 'list') insertItems(builder, node as ListNode, asList(value) ?? []);
  else insertFields(builder, node, asObject(value) ?? {});
  return builder.build();
}

function insertItems(builder: FieldSetBuilder, list: ListNode, items: readonly Json[]): void {
  for (const [element, group] of groupItems(list, items)) {
    builder.insert(element);
    if (group.length === 1) builder.graft(element, everythingBelow(list.items, group[0] ?? null));
  }
}

function insertFields(builder: FieldSetBuilder, node: SchemaNode, object: JsonObject): void {
  for (const name of Object.keys(object)) {
    builder.insert(`f:${name}`);
    builder.graft(`f:${name}`, everythingBelow(fieldNodeOrAny(node, name).node, object[name] ?? null));
  }
}

/** A value that changed its shape is compared as both. */
function combine(a: Difference, b: Difference): Difference {
  return {
    self: b.self === 'same' ? a.self : b.self,
    added: a.added.union(b.added),
    removed: a.removed.union(b.removed),
    modified: a.modified.union(b.modified),
  };
}

function compareAs(
  shape: 'leaf' | 'list' | 'object',
  node: SchemaNode,
  before: Json,
  after: Json,
): Difference {
  if (shape === 'leaf' || (isEmptyFor(shape, before) && isEmptyFor(shape, after)))
    return jsonEqual(before, after) ? SAME : MODIFIED;
  const below = new ComparisonBuilder();
  if (shape === 'list') compareItems(below, node as ListNode, asList(before) ?? [], asList(after) ?? []);
  else compareFields(below, node, before, after);
  return below.isEmpty ? SAME : { self: 'same', ...below.build() };
}

/** What is of another shape counts as empty. */
function isEmptyFor(shape: 'list' | 'object', value: Json | undefined): boolean {
  return isEmptyContainer(shape === 'list' ? asList(value) : asObject(value));
}

function compareFields(below: ComparisonBuilder, node: SchemaNode, before: Json, after: Json): void {
  const [old, now] = [asObject(before) ?? {}, asObject(after) ?? {}];
  for (const name of Object.keys(old)) {
    const next = Object.hasOwn(now, name) ? now[name] : undefined;
    below.add(`f:${name}`, compare(fieldNodeOrAny(node, name).node, old[name], next));
  }
  for (const name of Object.keys(now)) {
    if (!Object.hasOwn(old, name)) {
      below.add(`f:${name}`, compare(fieldNodeOrAny(node, name).node, undefined, now[name]));
    }
  }
}

function compareItems(
  below: ComparisonBuilder,
  list: ListNode,
  before: readonly Json[],
  after: readonly Json[],
): void {
  const [old, now] = [groupItems(list, before), groupItems(list, after)];
  for (const element of new Set([...old.keys(), ...now.keys()])) {
    compareGroups(below, list, element, old.get(element) ?? [], now.get(element) ?? []);
  }
}

/** Items under one key. Duplicates compare as a whole; on the way from or to them, single items come or go. */
function compareGroups(
  below: ComparisonBuilder,
  list: ListNode,
  element: PathElement,
  before: readonly Json[],
  after: readonly Json[],
): void {
  if (before.length > 1 && after.length > 1) {
    below.add(element, jsonEqual(before, after) ? SAME : MODIFIED);
  } else if (before.length > 1) {
    if (after.length > 0) below.add(element, compare(list.items, undefined, after[0]));
    below.add(element, REMOVED);
  } else if (after.length > 1) {
    if (before.length > 0) below.add(element, compare(list.items, before[0], undefined));
    below.add(element, ADDED);
  } else {
    below.add(element, compare(list.items, before[0], after[0]));
  }
}

/** Most of what is compared is the same: sets are built only for what is not. */
class ComparisonBuilder {
  #added: FieldSetBuilder | undefined;
  #removed: FieldSetBuilder | undefined;
  #modified: FieldSetBuilder | undefined;

  get isEmpty(): boolean {
    return this.#added === undefined && this.#removed === undefined && this.#modified === undefined;
  }

  add(element: PathElement, difference: Difference): void {
    if (difference === SAME) return;
    const { self, added, removed, modified } = difference;
    this.#added = gather(this.#added, element, self === 'added', added);
    this.#removed = gather(this.#removed, element, self === 'removed', removed);
    this.#modified = gather(this.#modified, element, self === 'modified', modified);
  }

  build(): Comparison {
    return {
      added: this.#added?.build() ?? FieldSet.EMPTY,
      removed: this.#removed?.build() ?? FieldSet.EMPTY,
      modified: this.#modified?.build() ?? FieldSet.EMPTY,
    };
  }
}

function gather(
  known: FieldSetBuilder | undefined,
  element: PathElement,
  isMember: boolean,
  below: FieldSet,
): FieldSetBuilder | undefined {
  if (!isMember && below.isEmpty) return known;
  const builder = known ?? new FieldSetBuilder();
  if (isMember) builder.insert(element);
  builder.graft(element, below);
  return builder;
}
