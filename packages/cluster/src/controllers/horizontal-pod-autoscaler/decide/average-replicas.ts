import { isReady } from '../../workloads/pod-state.ts';
import { average, podReplicas } from './pod-replicas.ts';
import type { PodValues } from './group-pods.ts';
import { type Circumstances, isWithin, MAX_INT32, NO_PODS, type Proposal } from './proposal.ts';

/** Replicas by the average of a value of each pod; `target` in thousandths. */
export function averageReplicas(
  {
    values,
    resource,
    target,
  }: { readonly values: PodValues; readonly resource: string; readonly target: number },
  circumstances: Circumstances,
): Proposal {
  return podReplicas<{ readonly usage: number }>(
    {
      values,
      resource,
      ratioOf(measured) {
        const usage = average(measured);
        return { usage, ratio: usage / target };
      },
      assumed: () => target,
    },
    circumstances,
  );
}

/** Replicas by one value that all pods together bring about; both in thousandths. */
export function totalReplicas(usage: number, target: number, circumstances: Circumstances): Proposal {
  const { specReplicas, pods, tolerances } = circumstances;
  const ratio = usage / target;
  if (specReplicas === 0) return { usage, replicas: Math.ceil(ratio) };
  if (isWithin(tolerances, ratio)) return { usage, replicas: specReplicas };
  if (pods.length === 0) return { error: `unable to calculate ready pods: ${NO_PODS}` };
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length;
  return { usage, replicas: Math.min(Math.ceil(ratio * ready), MAX_INT32) };
}

/** Replicas by one value of which each is to have so much; both in thousandths. `usage` is what each has. */
export function shareReplicas(total: number, target: number, circumstances: Circumstances): Proposal {
  const { statusReplicas, tolerances } = circumstances;
  const ratio = total / (target * statusReplicas);
  const replicas = isWithin(tolerances, ratio) ? statusReplicas : Math.ceil(total / target);
  const usage = statusReplicas === 0 ? total : Math.ceil(total / statusReplicas);
  return { usage, replicas: Math.min(replicas, MAX_INT32) };
}
