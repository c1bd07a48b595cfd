import { isJsonArray, isJsonObject, type Json, getOwn, type KubeObject, type Stored } from '@kubewright/kube';
import { FieldSet, getPath } from '@kubewright/kube/fields';
import { ANNOTATIONS, FIELD_MANAGER } from '../api.ts';
import { type MigrationPolicy, policyFor } from '../migration-policy.ts';
import type { DesiredManifest } from '../read-manifest.ts';
import { ownSet } from '../read-managed-fields.ts';

/**
 * Whether a changed manifest may be applied without a look before: to an object that is as the last look left it, by an
 * apply that removes nothing. `applied` is what the last one owned. Then nobody else's ownership is in the way, and the
 * response shows whether the apply did what it should.
 */
export function isDirect(
  manifest: DesiredManifest,
  applied: string | undefined,
  policy: MigrationPolicy,
): boolean {
  const { settings, object, overridden, patch, deleted } = manifest;
  if (applied === undefined || overridden !== undefined || patch !== undefined || deleted) return false;
  const isApplied = [
    ANNOTATIONS.replace,
    ANNOTATIONS.disableUpdates,
    ANNOTATIONS.disableReconciliation,
  ].every((name) => settings[name] !== 'true');
  const own = policyFor(settings, policy);
  const mayBeDirect = typeof own !== 'string' && (own.mode === 'minimal' || own.mode === 'off');
  return isApplied && mayBeDirect && dropsNothing(object, FieldSet.read(applied).set);
}

function dropsNothing(object: KubeObject, applied: FieldSet): boolean {
  return !applied.isEmpty && [...applied.paths()].every((path) => getPath(object, path) !== undefined);
}

/** Whether the response to an apply has all values of the manifest, and we own what we owned before. */
export function isTaken(object: KubeObject, applied: string, result: Stored): boolean {
  const lost = FieldSet.read(applied).set.difference(ownSet(result, FIELD_MANAGER));
  return lost.isEmpty && hasAll(result, object);
}

/** Lists have to be the same length: what somebody else has put into one may be in the place of ours. */
function hasAll(live: Json | undefined, wanted: Json): boolean {
  if (isJsonObject(wanted))
    return (
      isJsonObject(live) &&
      Object.entries(wanted).every(([key, value]) => value !== undefined && hasAll(getOwn(live, key), value))
    );
  if (!isJsonArray(wanted)) return live === wanted;
  return (
    isJsonArray(live) &&
    live.length === wanted.length &&
    wanted.every((value, index) => hasAll(live[index], value))
  );
}
