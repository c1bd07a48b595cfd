import { stringifyJson, type Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { FIELD_MANAGER, type ManifestState } from '../api.ts';
import { ownSet } from '../read-managed-fields.ts';
import { removingOf } from './undone-removals.ts';

/**
 * The state with what an apply owns, for the next one: a field that the manifest then drops has to go even if we do not own
 * it any more. Recorded before the apply: until then the object itself has what goes.
 */
export function withApplied(state: ManifestState, result: Stored): ManifestState {
  return { ...state, applied: stringifyJson(ownSet(result, FIELD_MANAGER).toJson()) };
}

/**
 * What the last apply owned, and what it was to remove. A webhook that undid the removal took our ownership of it, and others
 * may own it by now: it has to go all the same. Empty where nothing is recorded.
 */
export function readApplied(state: ManifestState): FieldSet {
  const { applied } = state;
  const recorded = applied === undefined ? FieldSet.EMPTY : FieldSet.read(applied).set;
  return recorded.union(removingOf(state));
}
