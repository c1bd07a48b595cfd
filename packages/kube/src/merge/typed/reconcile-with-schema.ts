import { FieldSet } from '../../fields/field-set.ts';
import type { PathElement } from '../../fields/path-element.ts';
import type { SchemaNode } from '../../schema/schema-node.ts';
import { fieldNode } from './shape.ts';

/** Results by set and schema. Both live long, and every write computes the same for each manager. */
function remembered(compute: (node: SchemaNode, set: FieldSet) => FieldSet): typeof compute {
  const answers = new WeakMap<FieldSet, WeakMap<SchemaNode, FieldSet>>();
  return (node, set) => {
    if (set.isEmpty) return set;
    let ofSet = answers.get(set);
    if (ofSet === undefined) answers.set(set, (ofSet = new WeakMap()));
    let answer = ofSet.get(node);
    if (answer === undefined) ofSet.set(node, (answer = compute(node, set)));
    return answer;
  };
}

/** The schema below one path element; undefined where there is none. */
function below(node: SchemaNode | undefined, element: PathElement): SchemaNode | undefined {
  if (node === undefined) return undefined;
  if (element.startsWith('f:')) return fieldNode(node, element.slice(2))?.node;
  return element.startsWith('k:') && node.kind === 'list' ? node.items : undefined;
}

/**
 * The set with the schema's named fields above its members: a list is a member where an item of it is.
 * Source: structured-merge-diff's `Set.EnsureNamedFieldsAreMembers`.
 */
export const withNamedFields: (node: SchemaNode, set: FieldSet) => FieldSet = remembered(addNamedFields);

function addNamedFields(node: SchemaNode | undefined, set: FieldSet): FieldSet {
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const named = element.startsWith('f:') && node !== undefined && fieldNode(node, element.slice(2))?.named;
    if (named === true) members.add(element);
    children.set(element, addNamedFields(below(node, element), child));
  }
  return set.with(members, children);
}

/**
 * The set by the present schema: paths below a field that has become atomic become the path of that field.
 * Source: structured-merge-diff's `ReconcileFieldSetWithSchema`.
 */
export const reconcileWithSchema: (node: SchemaNode, set: FieldSet) => FieldSet = remembered(reconcile);

function reconcile(node: SchemaNode, set: FieldSet): FieldSet {
  if (node.kind === 'any' && node.atomic !== true) return set;
  const members = new Set(set.members);
  const children = new Map(set.children);
  let isSame = true;
  for (const [element, child] of set.children) {
    const next = reconcileChild(below(node, element), child);
    if (next === child) continue;
    isSame = false;
    if (next.isEmpty) {
      members.add(element);
      children.delete(element);
    } else children.set(element, next);
  }
  return isSame ? set : set.with(members, children);
}

/** Empty where the paths below become one path. */
function reconcileChild(node: SchemaNode | undefined, child: FieldSet): FieldSet {
  if (node === undefined) return child;
  return isAtomic(node) ? FieldSet.EMPTY : reconcile(node, child);
}

function isAtomic(node: SchemaNode): boolean {
  if (node.kind === 'list') return node.listType === 'atomic';
  return node.kind !== 'scalar' && node.atomic === true;
}
