import { FieldSet } from '@kubewright/kube/fields';
import type { LeftField, MigrationPlan, PlanInput } from '../../decide/migration-plan.ts';
import { blockReasonOf, movable } from '../../decide/movable.ts';
import { buildRewrite } from '../../decide/rewrite.ts';
import { blockedByUndecodable } from '../../decide/shared-field.ts';
import type { Claim, Claims } from '../../read-managed-fields.ts';

type SharedInput = Pick<PlanInput, 'live' | 'manager' | 'policy'> & {
  /** From which claims. Default: all. */
  readonly takes?: (claim: Claim) => boolean;
  /** Paths that stay with their owners. */
  readonly except?: FieldSet;
};

/** What others own of what `own` applies is taken from them. Nothing is added to it, so that no apply prunes. */
export function planShared(own: Claim, { claims, undecodable }: Claims, input: SharedInput): MigrationPlan {
  const { takes = () => true } = input;
  const stripped = new Map<Claim, FieldSet>();
  const left: LeftField[] = [];
  for (const claim of claims.filter((other) => other !== own && takes(other))) {
    const shared = claim.set.intersection(own.set);
    const why = blockReasonOf(claim.owner, input, input.policy.sources);
    const taken = why === undefined ? takeable(shared, claims, input) : FieldSet.EMPTY;
    if (!taken.isEmpty) stripped.set(claim, taken);
    for (const path of shared.difference(taken).paths())
      left.push({ path, owners: [claim.owner], why: why ?? 'Protected' });
  }
  if (stripped.size === 0) return { kind: 'nothing', left };
  if (undecodable.length > 0) return { kind: 'blocked', ...blockedByUndecodable(undecodable), left };
  const moves = [...stripped].flatMap(([{ owner }, set]) =>
    [...set.paths()].map((path) => ({ path, from: [owner] })),
  );
  return { kind: 'rewrite', rewrite: buildRewrite(claims, own.owner, own.set, stripped), moves, left };
}

function takeable(
  shared: FieldSet,
  claims: readonly Claim[],
  { live, policy, except }: SharedInput,
): FieldSet {
  return movable(shared, live, claims, policy).difference(except ?? FieldSet.EMPTY);
}
