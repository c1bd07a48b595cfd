import { isPrivateField } from '@kubewright/client';
import { type Json, type Stored, stringifyJson } from '@kubewright/kube';
import { FieldSet, formatPath, getPath, type Path } from '@kubewright/kube/fields';
import { type Claim, newOwner, ownClaim, readManagedFields } from '../read-managed-fields.ts';
import { isAdoptable, movable } from './movable.ts';
import type { MigrationPlan, Move, PlanInput } from './migration-plan.ts';
import { mentions, removalsOf } from './removals-of.ts';
import { buildRewrite } from './rewrite.ts';
import { blockedByUndecodable } from './shared-field.ts';

const PREVIEW_LIMIT = 10;

/**
 * Mode `adopt`: moves everything in scope that the sources own to us, whether or not something must be removed. The
 * apply that follows prunes or resets adopted fields that the manifest lacks. Unless that removal is the manifest's own
 * change, or the policy allows it, the plan is blocked and names the live values.
 */
export function planAdopt(input: PlanInput): MigrationPlan {
  const { claims, undecodable } = readManagedFields(input.live);
  const existing = ownClaim(claims, input.manager);
  const isTracked = claims.length + undecodable.length > 0;
  const stripped = takeable(isTracked ? claims : claimsToCome(input), existing, input);
  if (stripped.size === 0) return { kind: 'nothing', left: [] };
  if (undecodable.length > 0) return { kind: 'blocked', ...blockedByUndecodable(undecodable), left: [] };
  const applied = existing?.set ?? FieldSet.EMPTY;
  const adopted = [...stripped.values()].reduce((all, set) => all.union(set), FieldSet.EMPTY);
  const pruned = input.policy.allowPrune ? [] : prunedBy(adopted, applied, input);
  if (pruned.length > 0) {
    return { kind: 'blocked', reason: 'Prune', message: preview(pruned, input), left: [] };
  }
  const own = existing?.owner ?? newOwner(input);
  return {
    kind: 'rewrite',
    rewrite: buildRewrite(claims, own, applied.union(adopted), stripped),
    moves: movesOf(stripped),
    left: [],
  };
}

/**
 * On an object without any claims, those that the first apply would give to `before-first-apply`: they are never written,
 * if they are adopted now.
 */
function claimsToCome({ dryRun, manager }: PlanInput): readonly Claim[] {
  if (dryRun === undefined) return [];
  return readManagedFields(dryRun).claims.filter(({ owner }) => owner.manager !== manager);
}

/** What each source owns in scope. */
function takeable(
  claims: readonly Claim[],
  existing: Claim | undefined,
  input: PlanInput,
): ReadonlyMap<Claim, FieldSet> {
  const stripped = new Map<Claim, FieldSet>();
  for (const claim of claims) {
    if (claim === existing || !isAdoptable(claim.owner, input, input.policy.sources)) continue;
    const taken = movable(claim.set, input.live, claims, input.policy).recursiveDifference(
      FieldSet.of(...(input.delegated ?? [])),
    );
    if (!taken.isEmpty) stripped.set(claim, taken);
  }
  return stripped;
}

function movesOf(stripped: ReadonlyMap<Claim, FieldSet>): readonly Move[] {
  return [...stripped].flatMap(([{ owner }, set]) =>
    [...set.paths()].map((path) => ({ path, from: [owner] })),
  );
}

/**
 * Adopted paths that the apply would remove although the manifest's own change does not. The list or map around a
 * removal is not counted: it goes only when it is empty.
 */
function prunedBy(adopted: FieldSet, applied: FieldSet, { desired, live }: PlanInput): readonly Path[] {
  const wanted = removalsOf(applied, desired).map(({ path }) => path);
  return [...adopted.difference(desired).paths()].filter(
    (path) =>
      !mentions(desired, path) &&
      getPath(live as Json, path) !== undefined &&
      !wanted.some((root) => startsWith(path, root) || startsWith(root, path)),
  );
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((element, index) => element === path[index]);
}

function preview(paths: readonly Path[], { live }: PlanInput): string {
  const shown = paths.slice(0, PREVIEW_LIMIT).map((path) => `${formatPath(path)}${valueAt(path, live)}`);
  const more = paths.length > PREVIEW_LIMIT ? ` and ${paths.length - PREVIEW_LIMIT} more` : '';
  return `adopting would remove or reset ${shown.join(', ')}${more}`;
}

/** Of a number, a flag or a text that may be read by everybody. */
function valueAt(path: Path, live: Stored): string {
  const value = getPath(live, path) ?? null;
  if (typeof value === 'object' || live.kind === 'Secret' || isPrivateField(formatPath(path))) return '';
  return ` (now ${short(stringifyJson(value))})`;
}

function short(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
