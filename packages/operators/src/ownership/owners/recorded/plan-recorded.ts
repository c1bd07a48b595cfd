import type { Stored } from '@kubewright/kube';
import { FieldSet, field } from '@kubewright/kube/fields';
import type { LeftField, MigrationPlan, PlanInput } from '../../decide/migration-plan.ts';
import { immutability } from '../../decide/movable.ts';
import { planMinimal } from '../../decide/plan-minimal.ts';
import { DEFAULT_POLICY } from '../../migration-policy.ts';
import { ownClaim, readManagedFields } from '../../read-managed-fields.ts';
import { planShared } from '../take-over/plan-shared.ts';
import { droppedFields, isUpdate } from './dropped-fields.ts';
import type { RecordedObject } from './tool-record.ts';

/** How far a migration by a tool's record goes. */
export type RecordedOptions = {
  /** The field manager of the tool. */
  readonly manager: string;
  /** Managers that write no more: all that their `Update` entries own goes to the tool, too. */
  readonly from: readonly string[];
  /** Also what the tool applies now and `Update` entries of others own too: then no later removal stays. */
  readonly isShared: boolean;
  /** Whether an autoscaler writes the replicas of the object. */
  readonly isScaled: boolean;
};

/**
 * The smallest rewrite after which the tool's next apply removes what the tool has dropped. It takes no claim of another
 * applier, so it never removes what somebody else's manifest has.
 */
export function planRecorded(live: Stored, object: RecordedObject, options: RecordedOptions): MigrationPlan {
  const { claims } = readManagedFields(live);
  const { manager, from, isScaled } = options;
  const own = ownClaim(claims, manager);
  const { dropped, desired, left } = droppedFields({ live, claims, own, object, from, isScaled });
  const input: PlanInput = {
    live,
    manager,
    apiVersion: own?.owner.apiVersion ?? live.apiVersion,
    desired,
    applied: desired.union(dropped),
    dryRun: undefined,
    policy: DEFAULT_POLICY,
  };
  const minimal = dropped.isEmpty ? NOTHING : planMinimal(input);
  const plan = options.isShared ? withShared(minimal, input, isScaled) : minimal;
  const immutable = immutability(live, plan);
  const all = withLeft(plan, left);
  if (immutable === undefined) return all;
  return { kind: 'blocked', reason: 'Immutable', message: immutable, left: all.left };
}

const NOTHING: MigrationPlan = { kind: 'nothing', left: [] };
const REPLICAS = FieldSet.of([field('spec'), field('replicas')]);

/** The second step is planned on what the first would leave, and both are one write. */
function withShared(minimal: MigrationPlan, input: PlanInput, isScaled: boolean): MigrationPlan {
  if (minimal.kind === 'blocked') return minimal;
  const live =
    minimal.kind === 'rewrite'
      ? { ...input.live, metadata: { ...input.live.metadata, managedFields: minimal.rewrite.entries } }
      : input.live;
  const read = readManagedFields(live);
  const own = ownClaim(read.claims, input.manager);
  if (own === undefined) return minimal;
  const except = isScaled ? REPLICAS : FieldSet.EMPTY;
  const shared = planShared(own, read, { ...input, live, takes: isUpdate, except });
  if (shared.kind !== 'rewrite') return withLeft(minimal, shared.left);
  const moves = [...(minimal.kind === 'rewrite' ? minimal.moves : []), ...shared.moves];
  return withLeft({ ...shared, moves }, minimal.left);
}

function withLeft(plan: MigrationPlan, left: readonly LeftField[]): MigrationPlan {
  return left.length === 0 ? plan : { ...plan, left: [...plan.left, ...left] };
}
