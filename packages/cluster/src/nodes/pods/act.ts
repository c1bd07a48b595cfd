import type { LocalNode } from '../local-node.ts';
import type { corev1, Stored } from '@kubewright/kube';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { ContainerAction } from './decide/pod-decision.ts';
import { accountOf } from './account-of.ts';
import { runtimeFor } from './observe.ts';
import { attemptId, type PodRecord } from './pod-record.ts';

type About = { readonly node: LocalNode; readonly pod: Stored<corev1.Pod>; readonly record: PodRecord };

/** Asks the runtimes for what was decided, in order. */
export async function act(
  actions: readonly ContainerAction[],
  { node, pod, record }: About,
  runtimes: readonly ContainerRuntime[],
): Promise<void> {
  for (const action of actions) {
    const { container, id } = action;
    const runtime = runtimeFor(runtimes, pod, container);
    if (action.type === 'stop') {
      runtime.stop(id, action.graceMs);
      continue;
    }
    const { attempt } = action;
    const account = (): ReturnType<typeof accountOf> => accountOf(node.client, pod);
    await runtime.start({ id, attempt, pod, container, ip: record.ip, node: node.name, account });
    // Of those before, only the last one's log is still asked for.
    if (attempt > 1) runtime.remove(attemptId(record.uid, container.name, attempt - 2));
  }
}
