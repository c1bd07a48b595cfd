import { isJsonArray, isJsonObject, type Json, jsonEqual, type Stored } from '@kubewright/kube';
import { getPath, type Path } from '@kubewright/kube/fields';
import { FIELD_MANAGER } from '../api.ts';
import { ownSet } from '../read-managed-fields.ts';
import { isItemElement } from './removals-of.ts';

/**
 * The fields that a manifest of the same object applies and that a Patch would change or remove. The next apply would
 * set them back, and the Patch would change them again, without end.
 */
export function contradicted(live: Stored, patched: Json): readonly Path[] {
  const own = ownSet(live, FIELD_MANAGER);
  return [...own.paths()].filter((path) => {
    const before = getPath(live, path);
    const after = getPath(patched, path);
    if (before === undefined || after === undefined) return before !== after;
    const isOnlyMembership = !own.at(path).isEmpty || isItemElement(path.at(-1) ?? '') || isVacant(before);
    return !isOnlyMembership && !jsonEqual(before, after);
  });
}

/** An apply keeps what others put into it. */
function isVacant(json: Json): boolean {
  if (isJsonArray(json)) return json.length === 0;
  return isJsonObject(json) && Object.keys(json).length === 0;
}
