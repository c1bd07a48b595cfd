import { FieldSet, getPath } from '@kubewright/kube/fields';
import { type Claim, newOwner, type OwnClaim, ownClaim, readManagedFields } from '../read-managed-fields.ts';
import { isDelegated, type MigrationPlan, type PlanInput } from './migration-plan.ts';
import { deletedAlong, mentions, type Removal, removalsOf } from './removals-of.ts';
import { buildRewrite } from './rewrite.ts';
import { blockedBy, blockedByUndecodable, type SharedField, sortOut, sortOutBelow } from './shared-field.ts';

/**
 * Mode `minimal`: the smallest rewrite of `metadata.managedFields` after which applying the manifest removes what it no
 * longer has: for a list item the item itself, for a field its path. Nothing else is moved; the server removes what is
 * below.
 */
export function planMinimal(input: PlanInput): MigrationPlan {
  const { claims, undecodable } = readManagedFields(input.live);
  const { applied = FieldSet.EMPTY } = input;
  const existing = ownClaim(claims, input.manager);
  if (existing === undefined && applied.isEmpty) return { kind: 'nothing', left: [] };
  const own = existing ?? { owner: newOwner(input), set: FieldSet.EMPTY };
  const removals = removalsOf(own.set.union(applied), input.desired).filter(
    (removal) => remains(removal, own, input) && !isDelegated(removal.path, input),
  );
  const shared = sortOut(removals, own, claims, input);
  const below = sortOutBelow(removals, own, claims, input);
  const left = [...shared.left, ...below.left];
  const moved = [...shared.moved, ...below.moved];
  const blocked =
    blockedBy(left) ??
    (moved.length > 0 && undecodable.length > 0 ? blockedByUndecodable(undecodable) : undefined);
  if (blocked !== undefined) return { kind: 'blocked', ...blocked, left };
  if (moved.length === 0) return { kind: 'nothing', left };
  return { ...rewriteFor(moved, removals, own, claims, input), left };
}

/**
 * Whether a removal did not happen in the dry run. After a rejected dry run nothing is known, so every removal counts of
 * what we own, or what is there.
 */
function remains({ path }: Removal, own: OwnClaim, { dryRun, live }: PlanInput): boolean {
  if (dryRun !== undefined) return getPath(dryRun, path) !== undefined;
  return mentions(own.set, path) || getPath(live, path) !== undefined;
}

type Outcome =
  | Omit<Extract<MigrationPlan, { kind: 'rewrite' }>, 'left'>
  | Omit<Extract<MigrationPlan, { kind: 'blocked' }>, 'left'>;

function rewriteFor(
  moved: readonly SharedField[],
  removals: readonly Removal[],
  own: OwnClaim,
  claims: readonly Claim[],
  input: PlanInput,
): Outcome {
  const stripped = new Map<Claim, FieldSet>();
  let ours = own.set;
  for (const { path, claims: others } of moved) {
    const taken = FieldSet.of(path);
    ours = ours.union(taken);
    for (const claim of others) stripped.set(claim, (stripped.get(claim) ?? FieldSet.EMPTY).union(taken));
  }
  const lost = input.policy.allowPrune
    ? []
    : deletedAlong(removals, input.live, remaining(claims, own, stripped, input));
  if (lost.length > 0) return { kind: 'blocked', reason: 'Collateral', message: alongMessage(lost) };
  return {
    kind: 'rewrite',
    rewrite: buildRewrite(claims, own.owner, ours, stripped),
    moves: moved.map(({ path, claims: others }) => ({ path, from: others.map(({ owner }) => owner) })),
  };
}

function remaining(
  claims: readonly Claim[],
  own: OwnClaim,
  stripped: ReadonlyMap<Claim, FieldSet>,
  { desired }: PlanInput,
): FieldSet {
  return claims
    .filter((claim) => claim !== own)
    .reduce((all, claim) => all.union(claim.set.difference(stripped.get(claim) ?? FieldSet.EMPTY)), desired);
}

function alongMessage(lost: readonly string[]): string {
  return `the removal would also delete elements that nobody owns in ${lost.join(', ')}: list them in the manifest, or allow pruning`;
}
