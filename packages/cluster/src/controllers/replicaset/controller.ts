import { appsv1, corev1, jsonEqual } from '@kubewright/kube';
import type { Client } from '@kubewright/client';
import { type Manager, type Reconciler, watchKind } from '@kubewright/runtime';
import { indexByController, watchControlled } from '../workloads/by-controller.ts';
import { createPodControl, messageOf } from '../workloads/pod-control.ts';
import { act } from './act.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';

/** The service account of `kube-system` that it acts as. */
export const REPLICASET_CONTROLLER = 'replicaset-controller';

const CONCURRENT = 5;

/** Keeps the number of pods that each ReplicaSet asks for. */
export function addReplicaSetController(manager: Manager): void {
  const { cache } = manager;
  indexByController(cache, corev1.pods);
  indexByController(cache, appsv1.replicasets);
  manager.addController({
    name: 'replicaset',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(appsv1.replicasets),
      watchControlled(corev1.pods, { ref: appsv1.replicasets, group: 'apps', kind: 'ReplicaSet', cache }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, client, clock } = manager;
  const pods = createPodControl(client, manager.recorderFor(REPLICASET_CONTROLLER));
  return {
    async reconcile(request) {
      const observed = observe(cache, request);
      if (observed === undefined) return {};
      const { replicaSet } = observed;
      const decision = decide(observed, clock.now());
      const { actions, requeueAfter } = decision;
      const write = (failure?: string): Promise<unknown> =>
        writeStatus(client, replicaSet, decision.status(failure));
      try {
        await act({ client, pods }, replicaSet, actions);
      } catch (error) {
        await write(messageOf(error));
        throw error;
      }
      await write();
      return requeueAfter === undefined ? {} : { requeueAfter };
    },
  };
}

/** By `update`, for which alone the controller's role has the right. */
async function writeStatus(
  client: Client,
  replicaSet: appsv1.ReplicaSet,
  status: appsv1.ReplicaSetStatus,
): Promise<void> {
  if (jsonEqual(status, replicaSet.status ?? {})) return;
  await client.update(appsv1.replicasets, { ...replicaSet, status }, { subresource: 'status' });
}
