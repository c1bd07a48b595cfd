import { formatPath } from '@kubewright/kube/fields';
import { type Claim, describeClaimant, type UndecodableEntry } from './claims.ts';
import { isMovable, refusalToTakeFrom } from './guards.ts';
import type { BlockReason, Obstacle, PlanInput } from './plan.ts';
import type { Removal } from './removals.ts';

/** A removal that somebody else's claims, or a gap in our own, would keep from happening. */
export type Contended = { readonly removal: Removal; readonly holders: readonly Claim[] };

export type Sorted = { readonly allowed: readonly Contended[]; readonly obstacles: readonly Obstacle[] };

/** The removals that do not happen by themselves, with those who hold them. */
export function contended(
  removals: readonly Removal[],
  own: Claim,
  claims: readonly Claim[],
): readonly Contended[] {
  return removals
    .map((removal) => ({ removal, holders: claims.filter((c) => c !== own && c.set.has(removal.path)) }))
    .filter(
      ({ removal, holders }) => holders.length > 0 || (removal.kind === 'item' && !own.set.has(removal.path)),
    );
}

/** Separates what may be moved from what may not, and says why. */
export function sortOut(all: readonly Contended[], input: PlanInput, claims: readonly Claim[]): Sorted {
  const allowed: Contended[] = [];
  const obstacles: Obstacle[] = [];
  for (const one of all) {
    const obstacle = obstacleTo(one, input, claims);
    if (obstacle === undefined) allowed.push(one);
    else obstacles.push(obstacle);
  }
  return { allowed, obstacles };
}

function obstacleTo(
  { removal, holders }: Contended,
  input: PlanInput,
  claims: readonly Claim[],
): Obstacle | undefined {
  const { path } = removal;
  const owners = holders.map(({ claimant }) => claimant);
  const why = immovable(path, input, claims);
  if (why !== undefined) return { path, owners, why };
  const refusals = owners.flatMap((owner) => {
    const refusal = refusalToTakeFrom(owner, input, input.policy.sources);
    return refusal === undefined ? [] : [{ owner, refusal }];
  });
  const [first] = refusals;
  if (first === undefined) return undefined;
  return { path, owners: refusals.map(({ owner }) => owner), why: first.refusal };
}

function immovable(
  path: Removal['path'],
  input: PlanInput,
  claims: readonly Claim[],
): 'Protected' | 'OutOfScope' | undefined {
  if (isMovable(path, input.live, claims, input.policy)) return undefined;
  const inScope = isMovable(path, input.live, claims, { ...input.policy, scopes: [] });
  return inScope ? 'OutOfScope' : 'Protected';
}

/** The reason to write nothing at all, if an obstacle is one: a claim of somebody who is not to be taken from. */
export function blockedBy(
  obstacles: readonly Obstacle[],
): { readonly reason: BlockReason; readonly message: string } | undefined {
  const blocking = obstacles.filter(({ why }) => why === 'Unlisted' || why === 'OtherVersion');
  const [first] = blocking;
  if (first === undefined) return undefined;
  return {
    reason: first.why === 'Unlisted' ? 'Unlisted' : 'OtherVersion',
    message: `cannot remove ${blocking.map((one) => describeObstacle(one)).join('; ')}`,
  };
}

/** `.data.key: owned by helm (Update), which is not a listed source`. */
export function describeObstacle({ path, owners, why }: Obstacle): string {
  const names = owners.map((owner) => describeClaimant(owner)).join(', ');
  return `${formatPath(path)}: owned by ${names === '' ? 'nobody' : names}, ${EXPLANATION[why]}`;
}

const EXPLANATION: Readonly<Record<Obstacle['why'], string>> = {
  Protected: 'and protected',
  OutOfScope: 'and outside the migration scope',
  Subresource: 'whose claims are made through a subresource and never moved',
  Unlisted: 'which is not a listed source',
  OtherVersion: 'whose claims are recorded at another apiVersion',
  Residual: 'which keeps it alive when we give it up (cascade would move these claims too)',
};

export function blockedByUndecodable(entries: readonly UndecodableEntry[]): {
  readonly reason: BlockReason;
  readonly message: string;
} {
  const named = entries.map(({ manager, problem }) => `${manager || 'an unnamed manager'}: ${problem}`);
  return {
    reason: 'Undecodable',
    message: `the server would ignore a rewrite, because it cannot read the managedFields entry of ${named.join('; ')}`,
  };
}
