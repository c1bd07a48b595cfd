import type { Path } from '@kubewright/kube/fields';
import type { Contended } from './blockers.ts';
import type { Claim } from './claims.ts';
import { MAP_FIELDS } from './collateral.ts';
import { isMovable, refusalToTakeFrom } from './guards.ts';
import type { Obstacle, PlanInput } from './plan.ts';
import { abandonedAbove, type Removal } from './removals.ts';

/**
 * Claims of others below a struct that the manifest gives up as a whole, when the server refused the dry run: what is
 * left of the struct may be what it refused. They are reported, and moved only with `cascade`.
 */
export function residualsOf(
  removals: readonly Removal[],
  own: Claim,
  claims: readonly Claim[],
  input: PlanInput,
): { readonly takes: readonly Contended[]; readonly obstacles: readonly Obstacle[] } {
  if (input.dryRun !== undefined) return { takes: [], obstacles: [] };
  const takes: Contended[] = [];
  const obstacles: Obstacle[] = [];
  for (const struct of abandonedStructs(removals, input)) {
    for (const holder of claims.filter((claim) => claim !== own)) {
      const paths = [...holder.set.at(struct).prefixed(struct).paths()].filter(
        (path) => !removals.some((removal) => samePath(removal.path, path)),
      );
      if (paths.length === 0) continue;
      const movable = refusalToTakeFrom(holder.claimant, input, input.policy.sources) === undefined;
      const allowed = paths.filter((path) => movable && isMovable(path, input.live, claims, input.policy));
      if (input.policy.cascade && allowed.length === paths.length)
        takes.push(...allowed.map((path) => take(path, holder)));
      else obstacles.push({ path: struct, owners: [holder.claimant], why: 'Residual' });
    }
  }
  return { takes, obstacles };
}

function take(path: Path, holder: Claim): Contended {
  return { removal: { path, kind: 'field' }, holders: [holder] };
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
