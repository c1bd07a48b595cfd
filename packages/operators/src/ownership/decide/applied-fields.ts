import { stringifyJson, type Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { FIELD_MANAGER, type ManifestState } from '../api.ts';
import { ownSet } from '../read-managed-fields.ts';

/**
 * The state with what an apply owns, for the next one: a field that the manifest then drops has to go even if we do not own
 * it any more. Recorded before the apply: until then the object itself has what goes.
 */
export function withApplied(state: ManifestState, result: Stored): ManifestState {
  return { ...state, applied: stringifyJson(ownSet(result, FIELD_MANAGER).toJson()) };
}

/** What the last apply owned; empty where nothing is recorded. */
export function readApplied({ applied }: ManifestState): FieldSet {
  return applied === undefined ? FieldSet.EMPTY : FieldSet.read(applied).set;
}
