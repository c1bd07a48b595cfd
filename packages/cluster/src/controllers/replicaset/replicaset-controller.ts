import { type Client, isConflict, keyOf } from '@kubewright/client';
import { appsv1, corev1, errorText, type Stored } from '@kubewright/kube';
import { matchesLabels } from '@kubewright/kube/selectors';
import { type Manager, type Reconciler, watchKind } from '@kubewright/runtime';
import { soonest } from '../workloads/undone-wait.ts';
import { indexByController, watchControlled, workloadSelector } from '../workloads/watch-controlled.ts';
import { claimOwned } from '../workloads/claim-owned.ts';
import { createPodControl } from '../workloads/pod-control.ts';
import { act } from './act.ts';
import { decide } from './decide.ts';
import { observe, type Seen } from './observe.ts';
import { updateChangedStatus } from '../workloads/update-changed-status.ts';

/** The service account of `kube-system` that it acts as. */
export const REPLICASET_CONTROLLER = 'replicaset-controller';

const CONCURRENT = 5;

/** Keeps the number of pods that each ReplicaSet asks for. */
export function addReplicaSetController(manager: Manager): void {
  const { cache } = manager;
  indexByController(cache, corev1.pods, appsv1.replicasets);
  manager.addController({
    name: 'replicaset',
    reconciler: reconcilerOf(manager),
    sources: [watchKind(appsv1.replicasets), watchControlled(cache, corev1.pods, appsv1.replicasets)],
    maxConcurrentReconciles: CONCURRENT,
  });
}

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, client, clock } = manager;
  const pods = createPodControl(client, manager.recorderFor(REPLICASET_CONTROLLER));
  return {
    async reconcile(request) {
      const seen = observe(cache, request);
      if (seen === undefined) return {};
      const { replicaSet } = seen;
      const owned = await claim(client, seen);
      if (owned === undefined) return {};
      const decision = decide({ ...seen, pods: owned }, clock.now());
      const { actions, requeueAfter } = decision;
      const write = (failure?: string): Promise<number | undefined> =>
        writeStatus(client, replicaSet, decision.status(failure));
      try {
        await act(pods, replicaSet, actions);
      } catch (error) {
        await write(errorText(error));
        throw error;
      }
      return soonest(requeueAfter, await write());
    },
  };
}

function claim(
  client: Client,
  { replicaSet, candidates }: Seen,
): Promise<readonly Stored<corev1.Pod>[] | undefined> {
  const selector = workloadSelector(replicaSet);
  const matches = ({ metadata }: Stored<corev1.Pod>): boolean => matchesLabels(selector, metadata.labels);
  const claimant = { ref: appsv1.replicasets, object: replicaSet };
  return claimOwned(client, corev1.pods, { objects: candidates, matches }, claimant);
}

/**
 * A Deployment that writes its ReplicaSets often would make
 * every other attempt a conflict: as in kube-controller-manager, one is tried again on what is there by then.
 * Returns how long to wait for another look, where that is needed.
 */
async function writeStatus(
  client: Client,
  replicaSet: Stored<appsv1.ReplicaSet>,
  status: appsv1.ReplicaSetStatus,
): Promise<number | undefined> {
  const write = (object: Stored<appsv1.ReplicaSet>, same?: false): Promise<number | undefined> =>
    updateChangedStatus(client, appsv1.replicasets, object, { status, same });
  try {
    return await write(replicaSet);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const live = await client.get(appsv1.replicasets, keyOf(replicaSet));
    if (live.metadata.uid !== replicaSet.metadata.uid) throw error;
    return write(live, false);
  }
}
