import type { KubeObject, Stored } from '@kubewright/kube';
import { FieldSet, formatPath, getPath, type Path } from '@kubewright/kube/fields';
import { FIELD_MANAGER } from '../api.ts';
import { type Claim, type Owner, ownClaim, ownSet, readClaims } from './claims.ts';
import { type DecideContext, failed, type ResourceDecision } from './outcomes.ts';
import { mentions, type Removal, removalsOf } from './removals.ts';
import { reportLeft } from './report.ts';
import { buildRewrite } from './rewrite.ts';

/** Maps that neither the server nor, as a rule, a policy fills: labels and annotations may come from one on purpose. */
const DATA = new Set(['f:data', 'f:binaryData']);

/**
 * What an apply takes out of `before`, and what nothing but a webhook puts back: list items and the keys of a
 * ConfigMap or Secret. A single field may come back as its default.
 */
export function wholeRemovals(before: Stored, after: Stored): readonly Path[] {
  const isWhole = ({ path, kind }: Removal): boolean => kind === 'item' || DATA.has(path.at(-2) ?? '');
  return removalsOf(ownSet(before, FIELD_MANAGER), ownSet(after, FIELD_MANAGER))
    .filter((removal) => isWhole(removal) && getPath(before, removal.path) !== undefined)
    .map(({ path }) => path);
}

/**
 * The removals that the server answered 200 to and that did not happen: we own the path no more, nobody else does, and
 * it is still there. A mutating webhook put it back. An apply never removes what nobody owns, so that by now the
 * wish to remove it is lost.
 */
export function undoneRemovals(before: Stored, after: Stored): readonly Path[] {
  return unowned(wholeRemovals(before, after), after);
}

/**
 * Takes undone removals into our claim again, so that the next apply removes them. At once, without a status before it:
 * a status that is undone too would end the reconcile, and only this process knows of them.
 */
export function decideReclaim(live: Stored, { undone }: DecideContext): ResourceDecision | undefined {
  const paths = unowned(undone, live);
  if (paths.length === 0) return undefined;
  const { claims } = readClaims(live);
  const { owner, set }: Pick<Claim, 'owner' | 'set'> = ownClaim(claims, FIELD_MANAGER) ?? {
    owner: applierOf(live),
    set: FieldSet.EMPTY,
  };
  const rewrite = buildRewrite(claims, owner, set.union(FieldSet.of(...paths)), new Map());
  return { reason: 'Reclaim', action: { type: 'rewrite', rewrite, live } };
}

/** Nothing is applied, because an apply would only give our claim up. */
export function removalUndone(paths: readonly Path[], context: DecideContext): ResourceDecision {
  const names = paths.map((path) => formatPath(path)).join(', ');
  const message = `cannot remove ${names}: a mutating admission webhook puts it back; change the webhook, or keep it in the manifest`;
  return failed('RemovalUndone', message, context, reportLeft([], context.previous));
}

function unowned(paths: readonly Path[], object: KubeObject): readonly Path[] {
  const { claims } = paths.length === 0 ? { claims: [] } : readClaims(object);
  return paths.filter(
    (path) => getPath(object, path) !== undefined && !claims.some(({ set }) => mentions(set, path)),
  );
}

function applierOf({ apiVersion }: KubeObject): Owner {
  return { manager: FIELD_MANAGER, operation: 'Apply', subresource: '', apiVersion };
}
