import { type Client, isConflict, isNotFound, type ObjectKey } from '@kubewright/client';
import { corev1, formatTime } from '@kubewright/kube';
import { createManager, watchKind, silentLogger } from '@kubewright/runtime';

type Options = {
  /** Default: all. */
  readonly namespace?: string;
  readonly isReady: (pod: corev1.Pod) => boolean;
  readonly signal: AbortSignal;
};

/** What a node does for pods, as far as controllers look at it: those that `isReady` names run and are ready. */
export function startReadiness(client: Client, { namespace, isReady, signal }: Options): Promise<void> {
  const cacheDefaults = namespace === undefined ? {} : { namespace };
  const manager = createManager({ client, cacheDefaults, log: silentLogger });
  manager.addController({
    name: 'readiness',
    sources: [watchKind(corev1.pods)],
    reconciler: {
      async reconcile(request) {
        const pod = manager.cache.get(corev1.pods, request);
        if (pod === undefined || pod.status?.phase === 'Running' || !isReady(pod)) return {};
        try {
          await markReady(client, request);
        } catch (error) {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
        return {};
      },
    },
  });
  return manager.start(signal);
}

/** What a node says of a pod whose containers run and are ready. */
export async function markReady(client: Client, pod: ObjectKey): Promise<void> {
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: formatTime(new Date()) };
  const body = { status: { phase: 'Running', conditions: [ready] } };
  await client.patch(corev1.pods, pod, { type: 'merge', body }, { subresource: 'status' });
}
