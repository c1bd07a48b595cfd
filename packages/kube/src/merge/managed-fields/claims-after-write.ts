import { FieldSet } from '../../fields/field-set.ts';
import { type Comparison, compareTyped } from '../typed/compare-typed.ts';
import { reconcileWithSchema } from '../typed/reconcile-with-schema.ts';
import { type Conflict, ConflictError } from './conflict-error.ts';
import type { Claims, Managers } from './managers.ts';
import type { VersionedSchemas } from './versioned-schemas.ts';
import { convertTyped, jsonOf, type TypedObject } from './typed-object.ts';

/** A write of an object: live and new state, and the fields that the kind resets on every write. */
export type Write = {
  readonly schemas: VersionedSchemas;
  readonly live: TypedObject;
  readonly next: TypedObject;
  readonly resetFields: FieldSet;
  readonly force: boolean;
};

/** The fields that other managers keep, and what the write changed at its own version. */
export type AfterWrite = { readonly managers: Map<string, Claims>; readonly changes: Comparison };

/**
 * Takes from every manager but `writer` what a write changed, added or removed. Without force, a claim that would be
 * taken by a change or addition is a conflict. Source: structured-merge-diff's `Updater.update`.
 */
export function claimsAfterWrite(write: Write, managers: Managers, writer: string): AfterWrite {
  const compared = new Comparisons(write);
  const kept = new Map<string, Claims>();
  const conflicts: Conflict[] = [];
  for (const [identity, claims] of managers) {
    const changes = identity === writer ? NO_CHANGES : compared.at(claims.apiVersion);
    if (changes === undefined) continue;
    const taken = claims.set.intersection(changes.modified.union(changes.added));
    for (const path of taken.paths()) conflicts.push({ claims, path });
    const set = claims.set.difference(taken).difference(changes.removed);
    if (!set.isEmpty) kept.set(identity, set === claims.set ? claims : { ...claims, set });
  }
  if (conflicts.length > 0 && !write.force) throw new ConflictError(conflicts);
  return { managers: kept, changes: compared.at(write.next.object.apiVersion) ?? NO_CHANGES };
}

const NO_CHANGES: Comparison = { added: FieldSet.EMPTY, removed: FieldSet.EMPTY, modified: FieldSet.EMPTY };

/** The write as each version sees it, compared once per version. */
class Comparisons {
  readonly #write: Write;
  readonly #known = new Map<string, Comparison | undefined>();

  constructor(write: Write) {
    this.#write = write;
  }

  /** Undefined where the version is not served: entries of that version own nothing. */
  at(apiVersion: string): Comparison | undefined {
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, this.#compare(apiVersion));
    return this.#known.get(apiVersion);
  }

  #compare(apiVersion: string): Comparison | undefined {
    const { schemas, live, next, resetFields } = this.#write;
    const [before, after] = [
      convertTyped(schemas, live, apiVersion),
      convertTyped(schemas, next, apiVersion),
    ];
    if (before === undefined || after === undefined) return undefined;
    const changes = compareTyped(after.node, jsonOf(before.object), jsonOf(after.object));
    if (resetFields.isEmpty) return changes;
    return {
      added: changes.added.recursiveDifference(resetFields),
      removed: changes.removed.recursiveDifference(resetFields),
      modified: changes.modified.recursiveDifference(resetFields),
    };
  }
}

/**
 * Claims as today's schemas have them: claims below what has become atomic are one. Claims at lost versions go. Throws
 * `TypedError` where the live object cannot be read at a version that somebody claims at.
 */
export function reconcileManagers(
  schemas: VersionedSchemas,
  live: TypedObject,
  managers: Managers,
): Map<string, Claims> {
  const reconciled = new Map<string, Claims>();
  for (const [identity, claims] of managers) {
    const typed = convertTyped(schemas, live, claims.apiVersion);
    if (typed === undefined) continue;
    const set = reconcileWithSchema(typed.node, claims.set);
    reconciled.set(identity, set === claims.set ? claims : { ...claims, set });
  }
  return reconciled;
}
