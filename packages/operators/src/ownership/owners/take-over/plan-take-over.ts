import { KubeError, type Stored } from '@kubewright/kube';
import { FieldSet, parsePathPattern, selectByPattern } from '@kubewright/kube/fields';
import { OperatorError } from '../../../operator-error.ts';
import type { MigrationPlan } from '../../decide/migration-plan.ts';
import { immutability } from '../../decide/movable.ts';
import { planAdopt } from '../../decide/plan-adopt.ts';
import { planMinimal } from '../../decide/plan-minimal.ts';
import { planRelease } from '../../decide/plan-release.ts';
import { DEFAULT_POLICY } from '../../migration-policy.ts';
import { type Claim, ownClaim, readManagedFields } from '../../read-managed-fields.ts';
import { planShared } from './plan-shared.ts';
import type { PlannedWrite } from './write-plan.ts';

/** Who is to own what. */
export type TakeOver = {
  readonly live: Stored;
  /** The field manager that applies the object. */
  readonly manager: string;
  /** Path patterns that it is going to leave out. None: all that it applies. */
  readonly remove: readonly string[];
  /** Who is to own them from then on: they stay. Absent: they are going to be removed. */
  readonly releaseTo?: string;
};

/** The next step, by the operator's own decisions, and what another choice would do. */
export type TakeOverPlan = {
  readonly plan: MigrationPlan;
  /** What the manager's next apply would remove or reset if it adopted all that others own; undefined if nothing. */
  readonly adopting: string | undefined;
};

/**
 * With paths to remove, the smallest move after which leaving them out removes them. Without, the manager becomes the
 * only owner of what it applies: no later removal is blocked, and an apply of the same manifest changes nothing. With
 * `releaseTo`, the paths go to that manager, and leaving them out keeps them.
 */
export function planTakeOver({ live, manager, remove, releaseTo }: TakeOver): TakeOverPlan {
  const read = readManagedFields(live);
  const { claims } = read;
  const own = ownClaim(claims, manager);
  if (own === undefined) throw new OperatorError('Usage', nobodyApplies(manager, claims));
  const kept = remove.length === 0 ? own.set : own.set.difference(selected(own, remove));
  const { apiVersion } = own.owner;
  const input = { live, manager, apiVersion, desired: kept, dryRun: undefined, policy: DEFAULT_POLICY };
  if (releaseTo !== undefined) {
    const policy = { ...DEFAULT_POLICY, releaseTo };
    return { plan: planRelease({ ...input, policy }, selected(own, remove)), adopting: undefined };
  }
  const plan = remove.length === 0 ? planShared(own, read, input) : planMinimal(input);
  const immutable = immutability(live, plan);
  const adoption = planAdopt({ ...input, desired: own.set });
  return {
    plan:
      immutable === undefined
        ? plan
        : { kind: 'blocked', reason: 'Immutable', message: immutable, left: plan.left },
    adopting: adoption.kind === 'blocked' ? adoption.message : undefined,
  };
}

/** The write of what is planned. */
export function takeOverWrite(of: TakeOver, ref: PlannedWrite['ref'], dryRun: boolean): PlannedWrite {
  const { live, manager } = of;
  return { live, ref, manager, dryRun, plan: (newest) => planTakeOver({ ...of, live: newest }).plan };
}

function selected(own: Claim, remove: readonly string[]): FieldSet {
  let all = FieldSet.EMPTY;
  for (const text of remove) {
    const found = selectByPattern(own.set, [patternOf(text)]);
    if (found.isEmpty)
      throw new OperatorError(
        'Usage',
        `${own.owner.manager} does not apply ${text}, so leaving it out changes nothing`,
      );
    all = all.union(found);
  }
  return all;
}

function patternOf(text: string): ReturnType<typeof parsePathPattern> {
  try {
    return parsePathPattern(text);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new OperatorError('Usage', error.message, { cause: error });
  }
}

function nobodyApplies(manager: string, claims: readonly Claim[]): string {
  const appliers = claims
    .filter(({ owner }) => owner.operation === 'Apply' && owner.subresource === '')
    .map(({ owner }) => owner.manager);
  const others =
    appliers.length === 0 ? 'nobody does' : `${appliers.join(', ')} ${appliers.length === 1 ? 'does' : 'do'}`;
  return `${manager} does not apply this object (${others}); name its applier with --to`;
}
