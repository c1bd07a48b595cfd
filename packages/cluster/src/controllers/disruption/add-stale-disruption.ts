import { ignoreNotFound } from '@kubewright/client';
import { corev1, defined, formatTime, parseTime, type Stored } from '@kubewright/kube';
import { type CacheEvent, type Manager, watchKind } from '@kubewright/runtime';
import { isActive } from '../workloads/pod-state.ts';
import { patchPodStatus } from '../workloads/patch-pod-status.ts';

/** Who said that a pod is to be disrupted does it within this time, or not at all. */
const STALE_MS = 2 * 60_000;

/** Takes back what was said of pods that were to be disrupted and live on. */
export function addStaleDisruption(manager: Manager): void {
  const { cache, client, clock } = manager;
  manager.addController({
    name: 'stale_disruption',
    sources: [
      watchKind(corev1.pods, { predicates: [(event: CacheEvent<corev1.Pod>) => isTarget(event.object)] }),
    ],
    reconciler: {
      async reconcile(request) {
        const pod = cache.get(corev1.pods, { namespace: '', ...request });
        const since = pod === undefined ? undefined : targetSince(pod);
        if (pod === undefined || since === undefined) return {};
        const requeueAfter = since + STALE_MS - clock.now();
        if (requeueAfter > 0) return { requeueAfter };
        const { generation } = pod.metadata;
        const condition = {
          type: 'DisruptionTarget',
          status: 'False',
          reason: null,
          message: null,
          lastTransitionTime: formatTime(new Date(clock.now())),
          ...defined({ observedGeneration: generation }),
        };
        await ignoreNotFound(patchPodStatus(client, pod, { conditions: [condition] }));
        return {};
      },
    },
  });
}

function isTarget(pod: Stored<corev1.Pod>): boolean {
  return targetSince(pod) !== undefined;
}

/** Since when a pod that neither ends nor is over is to be disrupted. What its kubelet says of it may take long. */
function targetSince(pod: Stored<corev1.Pod>): number | undefined {
  const target = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  if (target?.status !== 'True' || target.reason === 'TerminationByKubelet' || !isActive(pod))
    return undefined;
  return parseTime(target.lastTransitionTime ?? '1970-01-01T00:00:00Z').getTime();
}
