import { formatPath, type Path } from '@kubewright/kube/fields';
import { type Claim, describeOwner, type OwnClaim, type UndecodableEntry } from '../read-managed-fields.ts';
import { blockReasonOf, isAdoptable, isMovable } from './movable.ts';
import type { BlockReason, LeftField, PlanInput } from './migration-plan.ts';
import { abandonedAbove, MAP_FIELDS, type Removal } from './removals-of.ts';

/** A field to remove, and the other managers' entries for it. None: only our own entry must be completed. */
export type SharedField = { readonly path: Path; readonly claims: readonly Claim[] };

/** Which fields may be moved to us, and which are left with their owners. */
export type Sorted = { readonly moved: readonly SharedField[]; readonly left: readonly LeftField[] };

/** Sorts the removals that an apply alone would not do into those to move and those to leave. */
export function sortOut(
  removals: readonly Removal[],
  own: OwnClaim,
  claims: readonly Claim[],
  input: PlanInput,
): Sorted {
  const moved: SharedField[] = [];
  const left: LeftField[] = [];
  for (const { path } of removals) {
    const others = claims.filter((claim) => claim !== own && claim.set.has(path));
    if (others.length === 0 && own.set.has(path)) continue;
    const field = leftField({ path, claims: others }, input, claims);
    if (field === undefined) moved.push({ path, claims: others });
    else left.push(field);
  }
  return { moved, left };
}

function leftField(
  { path, claims: others }: SharedField,
  input: PlanInput,
  claims: readonly Claim[],
): LeftField | undefined {
  const owners = others.map(({ owner }) => owner);
  const why = immovable(path, input, claims);
  if (why !== undefined) return { path, owners, why };
  const refusals = owners.flatMap((owner) => {
    const refusal = blockReasonOf(owner, input, input.policy.sources);
    return refusal === undefined ? [] : [{ owner, refusal }];
  });
  const [first] = refusals;
  if (first === undefined) return undefined;
  return { path, owners: refusals.map(({ owner }) => owner), why: first.refusal };
}

function immovable(
  path: Path,
  input: PlanInput,
  claims: readonly Claim[],
): 'Protected' | 'OutOfScope' | undefined {
  if (isMovable(path, input.live, claims, input.policy)) return undefined;
  const inScope = isMovable(path, input.live, claims, { ...input.policy, scopes: [] });
  return inScope ? 'OutOfScope' : 'Protected';
}

/** The reason to write nothing, if a field that is left is owned by a manager that is not a source. */
export function blockedBy(
  left: readonly LeftField[],
): { readonly reason: BlockReason; readonly message: string } | undefined {
  const blocking = left.filter(({ why }) => why === 'Unlisted' || why === 'OtherVersion');
  const [first] = blocking;
  if (first === undefined) return undefined;
  return {
    reason: first.why === 'Unlisted' ? 'Unlisted' : 'OtherVersion',
    message: `cannot remove ${blocking.map((one) => describeLeft(one)).join('; ')}`,
  };
}

/** `.data.key: owned by helm (Update), which is not a listed source`. */
export function describeLeft({ path, owners, why }: LeftField): string {
  const names = owners.map((owner) => describeOwner(owner)).join(', ');
  return `${formatPath(path)}: owned by ${names === '' ? 'nobody' : names}, ${EXPLANATION[why]}`;
}

const EXPLANATION: Readonly<Record<LeftField['why'], string>> = {
  Protected: 'and protected',
  OutOfScope: 'and outside the migration scope',
  Subresource: 'who owns it through a subresource, which is never moved',
  Unlisted: 'which is not a listed source',
  OtherVersion: 'who owns it at another apiVersion, under another path',
  Applied: 'which applies it',
  Changed: 'with another value than was applied',
  Scaled: 'and an autoscaler sets it',
  Below: 'which keeps it when we no longer apply it (cascade would move these fields too)',
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

/**
 * Claims of others below a struct that the manifest gives up as a whole, when the server rejected the dry run: what is
 * left of the struct may be what it rejected. They are reported, and moved only with `cascade`.
 */
export function sortOutBelow(
  removals: readonly Removal[],
  own: OwnClaim,
  claims: readonly Claim[],
  input: PlanInput,
): Sorted {
  const moved: SharedField[] = [];
  const left: LeftField[] = [];
  const structs = input.dryRun === undefined ? abandonedStructs(removals, input) : [];
  for (const struct of structs) {
    for (const claim of claims.filter((other) => other !== own)) {
      const paths = [...claim.set.at(struct).prefixed(struct).paths()].filter(
        (path) => !removals.some((removal) => samePath(removal.path, path)),
      );
      if (paths.length === 0) continue;
      const isSource = isAdoptable(claim.owner, input, input.policy.sources);
      const mayMove = isSource && paths.every((path) => isMovable(path, input.live, claims, input.policy));
      if (input.policy.cascade && mayMove) moved.push(...paths.map((path) => ({ path, claims: [claim] })));
      else left.push({ path: struct, owners: [claim.owner], why: 'Below' });
    }
  }
  return { moved, left };
}

function abandonedStructs(removals: readonly Removal[], { desired }: PlanInput): readonly Path[] {
  const structs = new Map<string, Path>();
  for (const { path, kind } of removals) {
    const struct = kind === 'item' ? path : abandonedAbove(path, desired);
    const isStruct = struct.length < path.length && !MAP_FIELDS.has(struct.at(-1) ?? '');
    if (isStruct) structs.set(JSON.stringify(struct), struct);
  }
  return [...structs.values()];
}

function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((element, index) => element === b[index]);
}
