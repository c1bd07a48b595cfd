import { stringifyJson, type Stored } from '@kubewright/kube';
import { FieldSet, formatPath, getPath, type Path } from '@kubewright/kube/fields';
import { FIELD_MANAGER, type ManifestState } from '../api.ts';
import { newOwner, type OwnClaim, ownClaim, ownSet, readManagedFields } from '../read-managed-fields.ts';
import { type DecideContext, type ResourceDecision, undone } from './resource-decision.ts';
import { isItemElement, removalsOf } from './removals-of.ts';
import { reportLeft } from './report-moved.ts';
import { isLabel } from './restored-labels.ts';
import { buildRewrite } from './rewrite.ts';
import { unowned } from './unowned.ts';

/** Maps that neither the server nor, as a rule, a policy fills; labels and annotations may come from one on purpose. */
const DATA = new Set(['f:data', 'f:binaryData']);

/**
 * What an apply takes out of `before`, and what nothing but a webhook puts back: list items and the keys of a
 * ConfigMap or Secret. A single field may come back as its default.
 */
export function wholeRemovals(before: Stored, after: Stored): readonly Path[] {
  return removalsOf(ownSet(before, FIELD_MANAGER), ownSet(after, FIELD_MANAGER))
    .map(({ path }) => path)
    .filter((path) => isWhole(path) && getPath(before, path) !== undefined);
}

function isWhole(path: Path): boolean {
  return isItemElement(path.at(-1) ?? '') || DATA.has(path.at(-2) ?? '');
}

/** The state before an apply that is to remove these. Once they are gone, what it says of them means nothing. */
export function withRemoving(state: ManifestState, removals: readonly Path[]): ManifestState {
  if (removals.length === 0) return state;
  return { ...state, removing: stringifyJson(FieldSet.of(...removals).toJson()) };
}

/**
 * The removals that the server answered 200 to and that did not happen: we own the path no more, nobody else does, and
 * it is still there. A mutating webhook put it back. An apply never removes what nobody owns, so that by now the
 * wish to remove it is lost.
 */
export function undoneRemovals(before: Stored, after: Stored): readonly Path[] {
  return unowned(wholeRemovals(before, after), after);
}

/** What the last apply was to remove, while it is not known to be gone. Anybody may have written the status. */
export function removingOf({ removing }: ManifestState): FieldSet {
  if (removing === undefined) return FieldSet.EMPTY;
  const paths = [...FieldSet.read(removing).set.paths()];
  return FieldSet.of(...paths.filter((path) => isWhole(path) || isLabel(path)));
}

/** Takes removals that were undone into our claim again, so that the next apply removes them. */
export function decideReclaim(live: Stored, { previous }: DecideContext): ResourceDecision | undefined {
  const paths = unowned([...removingOf(previous).paths()], live);
  if (paths.length === 0) return undefined;
  const { claims } = readManagedFields(live);
  const { apiVersion } = live;
  const { owner, set }: OwnClaim = ownClaim(claims, FIELD_MANAGER) ?? {
    owner: newOwner({ manager: FIELD_MANAGER, apiVersion }),
    set: FieldSet.EMPTY,
  };
  const rewrite = buildRewrite(claims, owner, set.union(FieldSet.of(...paths)), new Map());
  return { reason: 'Reclaim', action: { type: 'rewrite', rewrite, live } };
}

/** Nothing is applied, because an apply would only give our claim up. */
export function removalUndone(paths: readonly Path[], context: DecideContext): ResourceDecision {
  const names = paths.map((path) => formatPath(path)).join(', ');
  const message = `cannot remove ${names}: a mutating admission webhook puts it back; change the webhook, or keep it in the manifest`;
  return undone('RemovalUndone', message, context, reportLeft([], context.previous));
}
