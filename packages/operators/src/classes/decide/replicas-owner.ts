import { ENFORCER, FIELD_MANAGER } from '../api.ts';
import { claimsOf } from '../managers-of.ts';
import type { LiveAutoscaler, LiveWorkload } from './observed-class.ts';

/** Who else has the replicas of a workload. */
export type ReplicasOwner = {
  /** A field manager, or an object: `HorizontalPodAutoscaler/web`, `ScaledObject/web`. */
  readonly name: string;
  /** A controller that takes back what others write: nothing of it is ours to set. */
  readonly isController: boolean;
};

const OURS: readonly (string | undefined)[] = [ENFORCER, FIELD_MANAGER];
/** As which the autoscalers of Kubernetes set replicas, by the subresource `scale`. */
const AUTOSCALERS = 'kube-controller-manager';

/** An autoscaler, whoever made it, or else who has set the replicas last; none where they are ours. */
export function replicasOwner(
  live: LiveWorkload,
  autoscaler: LiveAutoscaler | undefined,
): ReplicasOwner | undefined {
  if (autoscaler !== undefined) return makerOf(autoscaler);
  if (live.kind !== 'Deployment') return undefined;
  const [name] = otherManagers(live, 'replicas');
  return name === undefined ? undefined : { name, isController: false };
}

/** KEDA makes an autoscaler of each ScaledObject, and sets its minimum back to what that says. */
function makerOf({ metadata: { name, ownerReferences = [] } }: LiveAutoscaler): ReplicasOwner {
  const maker = ownerReferences.find(({ controller }) => controller === true);
  return maker === undefined
    ? { name: `HorizontalPodAutoscaler/${name}`, isController: false }
    : { name: `${maker.kind}/${maker.name}`, isController: true };
}

/** Who has a field of a workload that no autoscaler scales, but us. What one has set that is gone, nobody has. */
export function otherManagers(live: LiveWorkload, ...path: readonly string[]): readonly string[] {
  return claimsOf(live, ...path)
    .filter(({ manager, subresource }) => !(manager === AUTOSCALERS && subresource === 'scale'))
    .map(({ manager = '' }) => manager)
    .filter((manager) => !OURS.includes(manager));
}
