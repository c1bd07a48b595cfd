import type { Json } from '../../json/json.ts';
import { isEmptyContainer } from '../typed/shape.ts';
import { FieldSet } from '../../fields/field-set.ts';
import type { KubeObject } from '../../object/kube-object.ts';
import { removeFields } from '../typed/remove-fields.ts';
import { withNamedFields } from '../typed/reconcile-with-schema.ts';
import { toFieldSet } from '../typed/to-field-set.ts';
import type { Claims, Managers } from './managers.ts';
import type { VersionedSchemas } from './versioned-schemas.ts';
import { convertTyped, jsonOf, type TypedObject } from './typed-object.ts';

/**
 * Removes from a merged object the fields that its applier owned before, does not apply now, and no other manager owns.
 * Fields that the applier never owned stay. Source: structured-merge-diff's `Updater.prune`.
 */
export function prune(
  schemas: VersionedSchemas,
  merged: TypedObject,
  managers: Managers,
  last: Claims | undefined,
  config: Claims & { readonly object: KubeObject },
): TypedObject {
  // Fields that are applied again stay: an applier's sets have every path element above their members.
  if (last === undefined || isCovered(last, config)) return merged;
  const before = convertTyped(schemas, merged, last.apiVersion);
  if (before === undefined) return merged;
  const pruned = without(before, withNamedFields(before.node, last.set));
  const owned = addBackOwned(schemas, before, pruned, managers);
  const kept = addBackDangling(schemas, before, owned, last);
  return convertTyped(schemas, kept, config.apiVersion) ?? merged;
}

function isCovered(last: Claims, config: Claims & { readonly object: KubeObject }): boolean {
  if (last.apiVersion !== config.apiVersion || !last.set.difference(config.set).isEmpty) return false;
  return !holdsEmpty(jsonOf(config.object));
}

/** Owning an empty or null container does not cover fields below it: those without an owner are pruned all the same. */
function holdsEmpty(value: Json): boolean {
  if (typeof value !== 'object') return false;
  if (isEmptyContainer(value)) return true;
  return value !== null && Object.values(value).some(holdsEmpty);
}

function without({ object, node }: TypedObject, set: FieldSet): TypedObject {
  return { object: removeFields(node, jsonOf(object), set) as KubeObject, node };
}

/** The fields of an object, those above them that the schema names included. */
function fieldsOf({ object, node }: TypedObject): FieldSet {
  return withNamedFields(node, toFieldSet(node, jsonOf(object)));
}

/** Restores fields that a manager owns, version by version; the pruned version first. */
function addBackOwned(
  schemas: VersionedSchemas,
  merged: TypedObject,
  pruned: TypedObject,
  managers: Managers,
): TypedObject {
  const claimed = new Map<string, FieldSet>([[merged.object.apiVersion, FieldSet.EMPTY]]);
  for (const { apiVersion, set } of managers.values()) {
    claimed.set(apiVersion, (claimed.get(apiVersion) ?? FieldSet.EMPTY).union(set));
  }
  let result = pruned;
  for (const [apiVersion, set] of claimed) {
    const [all, left] = [
      convertTyped(schemas, merged, apiVersion),
      convertTyped(schemas, result, apiVersion),
    ];
    if (all === undefined || left === undefined) continue;
    const keep = fieldsOf(left).union(withNamedFields(all.node, set));
    result = without(all, fieldsOf(all).difference(keep));
  }
  return result;
}

/** Restores fields that the applier never owned. */
function addBackDangling(
  schemas: VersionedSchemas,
  merged: TypedObject,
  pruned: TypedObject,
  last: Claims,
): TypedObject {
  const left = convertTyped(schemas, pruned, last.apiVersion);
  if (left === undefined) return merged;
  const gone = fieldsOf(merged).difference(fieldsOf(left));
  return without(merged, gone.intersection(withNamedFields(merged.node, last.set)));
}
