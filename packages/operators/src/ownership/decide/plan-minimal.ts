import { FieldSet, getPath } from '@kubewright/kube/fields';
import {
  type Claim,
  type Claims,
  newOwner,
  type OwnClaim,
  ownClaim,
  readManagedFields,
} from '../read-managed-fields.ts';
import { isDelegated, type MigrationPlan, type PlanInput } from './migration-plan.ts';
import { deletedAlong, mentions, type Removal, removalsOf } from './removals-of.ts';
import { buildRewrite } from './rewrite.ts';
import { heldElsewhere } from './held-elsewhere.ts';
import { blockedBy, blockedByUndecodable, type SharedField, sortOut, sortOutBelow } from './shared-field.ts';

/**
 * Mode `minimal`: the smallest rewrite of `metadata.managedFields` after which applying the manifest removes what it no
 * longer has: for a list item the item itself, for a field its path. Nothing else is moved; the server removes what is
 * below.
 */
export function planMinimal(input: PlanInput): MigrationPlan {
  const read = readManagedFields(input.live);
  const { claims, undecodable } = read;
  const { own, isBegun } = ownOf(read, input);
  if (own === undefined) return { kind: 'nothing', left: [] };
  const removals = remaining(own, input);
  const shared = sortOut(removals, own, claims, input);
  const below = sortOutBelow(removals, own, claims, input);
  const left = [...shared.left, ...below.left, ...heldElsewhere(removals, own, claims, input)];
  const moved = [...shared.moved, ...below.moved];
  const isVoid = moved.length > 0 && undecodable.length > 0;
  const blocked = blockedBy(left) ?? (isVoid ? blockedByUndecodable(undecodable) : undefined);
  if (blocked !== undefined) return { kind: 'blocked', ...blocked, left };
  if (moved.length === 0 && !isBegun) return { kind: 'nothing', left };
  return { ...rewriteFor(moved, removals, own, claims, input), left };
}

/**
 * Our claim, or the one to begin. On an object without any owners that is all that the manifest has: the first apply would
 * give what is there to `before-first-apply`, which then blocks. Undefined: we own nothing, and did not before.
 */
function ownOf(
  { claims, undecodable }: Claims,
  input: PlanInput,
): { readonly own: OwnClaim | undefined; readonly isBegun: boolean } {
  const { desired, applied = FieldSet.EMPTY } = input;
  const existing = ownClaim(claims, input.manager);
  const isBegun = claims.length + undecodable.length === 0 && !desired.isEmpty;
  if (existing !== undefined || (applied.isEmpty && !isBegun)) return { own: existing, isBegun };
  return { own: { owner: newOwner(input), set: isBegun ? desired : FieldSet.EMPTY }, isBegun };
}

/** What has to go and does not. */
function remaining(own: OwnClaim, input: PlanInput): readonly Removal[] {
  const { desired, applied = FieldSet.EMPTY } = input;
  return removalsOf(own.set.union(applied), desired).filter(
    (removal) => remains(removal, own, input) && !isDelegated(removal.path, input),
  );
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
    : deletedAlong(removals, input.live, claimedAfter(claims, own, stripped, input));
  if (lost.length > 0) return { kind: 'blocked', reason: 'Collateral', message: alongMessage(lost) };
  return {
    kind: 'rewrite',
    rewrite: buildRewrite(claims, own.owner, ours, stripped),
    moves: moved.map(({ path, claims: others }) => ({ path, from: others.map(({ owner }) => owner) })),
  };
}

function claimedAfter(
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
