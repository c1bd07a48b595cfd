import type { Stored } from '@kubewright/kube';
import { FieldSet, formatPath, parsePathPattern, selectByPattern } from '@kubewright/kube/fields';
import { type Claim, ownClaim } from '../read-managed-fields.ts';
import type { MigrationPlan } from '../decide/migration-plan.ts';
import { planMinimal } from '../decide/plan-minimal.ts';
import { describeLeft } from '../decide/shared-field.ts';
import { DEFAULT_POLICY } from '../migration-policy.ts';
import { ownerName } from './render-tree.ts';

/** What would happen if `manager` left a path out of what it applies. */
export type RemovalExplanation = {
  /** Why leaving it out removes nothing, or undefined when it does. */
  readonly why: string | undefined;
  /** What the ownership operator would do first; one line each. */
  readonly remedy: readonly string[];
  /** What `manager` would go on owning. Applying exactly this is the removal. */
  readonly kept: FieldSet;
};

/** Explains the removal of everything that `pattern` selects. */
export function explainRemoval(
  live: Stored,
  claims: readonly Claim[],
  pattern: string,
  manager: string,
): RemovalExplanation {
  const own = ownClaim(claims, manager);
  const patterns = [parsePathPattern(pattern)];
  const ours = selectByPattern(own?.set ?? FieldSet.EMPTY, patterns);
  const kept = (own?.set ?? FieldSet.EMPTY).difference(ours);
  if (own === undefined || ours.isEmpty) {
    return { why: `${manager} has never applied it, so leaving it out changes nothing`, remedy: [], kept };
  }
  const plan = planMinimal({
    live,
    manager,
    apiVersion: own.owner.apiVersion,
    desired: kept,
    dryRun: undefined,
    policy: DEFAULT_POLICY,
  });
  return { why: whyOf(plan), remedy: remedyOf(plan, manager), kept };
}

function whyOf(plan: MigrationPlan): string | undefined {
  switch (plan.kind) {
    case 'nothing':
      return plan.left.length === 0 ? undefined : plan.left.map((field) => describeLeft(field)).join('; ');
    case 'blocked':
      return plan.message;
    case 'rewrite':
      return plan.moves
        .map(({ path, from }) =>
          from.length === 0
            ? `${formatPath(path)} itself is owned by nobody`
            : `${formatPath(path)} is also owned by ${from.map((owner) => ownerName(owner)).join(', ')}`,
        )
        .join('; ');
  }
}

function remedyOf(plan: MigrationPlan, manager: string): readonly string[] {
  if (plan.kind !== 'rewrite') return [];
  return plan.moves.map(({ path, from }) => {
    const claim = formatPath(path);
    return from.length === 0
      ? `add ${claim} to what ${manager} owns`
      : `move the claim on ${claim} from ${from.map((owner) => ownerName(owner)).join(', ')} to ${manager}`;
  });
}
