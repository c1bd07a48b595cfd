import { FieldSet, getPath } from '@kubewright/kube/fields';
import { blockedBy, blockedByUndecodable, type Contended, contended, sortOut } from './blockers.ts';
import { type Claim, ownClaim, readClaims } from './claims.ts';
import { collateralOf } from './collateral.ts';
import type { MigrationPlan, PlanInput } from './plan.ts';
import { type Removal, removalsOf } from './removals.ts';
import { residualsOf } from './residuals.ts';
import { buildRewrite } from './rewrite.ts';

/**
 * The smallest rewrite of `metadata.managedFields` after which applying the desired manifest removes what it no longer
 * mentions: for a list item the membership of the item itself, for a field its one path. Nothing else moves; the
 * server clears what lies below. (mode `minimal`)
 */
export function planMinimal(input: PlanInput): MigrationPlan {
  const { claims, undecodable } = readClaims(input.live);
  const own = ownClaim(claims, input.manager);
  if (own === undefined) return { kind: 'nothing', obstacles: [] };
  const removals = removalsOf(own.set, input.desired).filter((removal) => remains(removal, input));
  const sorted = sortOut(contended(removals, own, claims), input, claims);
  const residuals = residualsOf(removals, own, claims, input);
  const obstacles = [...sorted.obstacles, ...residuals.obstacles];
  const takes = [...sorted.allowed, ...residuals.takes];
  const blocked =
    blockedBy(obstacles) ??
    (takes.length > 0 && undecodable.length > 0 ? blockedByUndecodable(undecodable) : undefined);
  if (blocked !== undefined) return { kind: 'blocked', ...blocked, obstacles };
  if (takes.length === 0) return { kind: 'nothing', obstacles };
  return { ...rewriteFor(takes, removals, own, claims, input), obstacles };
}

/** Whether a removal did not happen in the dry run. A refused dry run shows nothing, so everything is suspect. */
function remains(removal: Removal, { dryRun }: PlanInput): boolean {
  return dryRun === undefined || getPath(dryRun, removal.path) !== undefined;
}

type Outcome =
  | Omit<Extract<MigrationPlan, { kind: 'rewrite' }>, 'obstacles'>
  | Omit<Extract<MigrationPlan, { kind: 'blocked' }>, 'obstacles'>;

function rewriteFor(
  takes: readonly Contended[],
  removals: readonly Removal[],
  own: Claim,
  claims: readonly Claim[],
  input: PlanInput,
): Outcome {
  const stripped = new Map<Claim, FieldSet>();
  let ours = own.set;
  for (const { removal, holders } of takes) {
    const path = FieldSet.of(removal.path);
    ours = ours.union(path);
    for (const holder of holders) stripped.set(holder, (stripped.get(holder) ?? FieldSet.EMPTY).union(path));
  }
  const lost = input.policy.allowPrune
    ? []
    : collateralOf(removals, input.live, remaining(claims, own, stripped, input));
  if (lost.length > 0) return { kind: 'blocked', reason: 'Collateral', message: collateralMessage(lost) };
  return {
    kind: 'rewrite',
    rewrite: buildRewrite(claims, own.claimant, ours, stripped),
    moves: takes.map(({ removal, holders }) => ({
      path: removal.path,
      from: holders.map(({ claimant }) => claimant),
    })),
  };
}

function remaining(
  claims: readonly Claim[],
  own: Claim,
  stripped: ReadonlyMap<Claim, FieldSet>,
  { desired }: PlanInput,
): FieldSet {
  return claims
    .filter((claim) => claim !== own)
    .reduce((all, claim) => all.union(claim.set.difference(stripped.get(claim) ?? FieldSet.EMPTY)), desired);
}

function collateralMessage(lost: readonly string[]): string {
  return `the removal would also delete elements that nobody owns in ${lost.join(', ')}: list them in the manifest, or allow pruning`;
}
