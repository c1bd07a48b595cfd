import type { Client } from '@kubewright/client';
import { appsv1, controllerOf, corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { matchesLabels } from '@kubewright/kube/selectors';
import {
  type Cache,
  type Manager,
  type Reconciler,
  type Request,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { soonest } from '../workloads/undone-wait.ts';
import {
  indexByController,
  isDelete,
  watchControlled,
  workloadSelector,
} from '../workloads/watch-controlled.ts';
import { claimOwned } from '../workloads/claim-owned.ts';
import { createFailureBackoff } from '../workloads/failure-backoff.ts';
import { act, writeDeployment } from './act.ts';
import { decide, selectsAll } from './decide/decide.ts';
import { observe, type Seen } from './observe.ts';

/** The service account of `kube-system` that it acts as. */
export const DEPLOYMENT_CONTROLLER = 'deployment-controller';

const CONCURRENT = 5;

/** Rolls Deployments out. */
export function addDeploymentController(manager: Manager): void {
  const { cache } = manager;
  indexByController(cache, appsv1.replicasets, corev1.pods);
  manager.addController({
    name: 'deployment',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(appsv1.deployments),
      watchControlled(cache, appsv1.replicasets, appsv1.deployments),
      // Strategy Recreate waits until the last old pod is gone.
      watchMapped(corev1.pods, (pod) => deploymentOf(cache, pod), {
        predicates: [isDelete],
      }),
    ],
    maxConcurrentReconciles: CONCURRENT,
  });
}

function deploymentOf(cache: Cache, pod: KubeObject): readonly Request[] {
  const { namespace } = pod.metadata;
  const owner = controllerOf(pod);
  if (owner?.kind !== 'ReplicaSet' || namespace === undefined) return [];
  const replicaSet = cache.get(appsv1.replicasets, { namespace, name: owner.name });
  const deployment = replicaSet === undefined ? undefined : controllerOf(replicaSet);
  return deployment?.kind === 'Deployment' ? [{ namespace, name: deployment.name }] : [];
}

function reconcilerOf(manager: Manager): Reconciler {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor(DEPLOYMENT_CONTROLLER);
  const renewals = createFailureBackoff();
  const tools = {
    client,
    renewals,
    now: () => clock.now(),
    emit: (...about: Parameters<typeof recorder.record>) => recorder.record(...about),
  };
  return {
    async reconcile(request) {
      const seen = observe(cache, request);
      if (seen === undefined) return {};
      const { deployment } = seen;
      const replicaSets = await claim(client, seen);
      if (replicaSets === undefined) return {};
      const now = clock.now();
      const renewalWait = ({ metadata: { uid } }: Stored<appsv1.ReplicaSet>): number =>
        renewals.wait(uid, now);
      const {
        actions,
        events = [],
        write,
        requeueAfter,
      } = decide({ ...seen, replicaSets, renewalWait }, now);
      await act(tools, deployment, actions);
      for (const note of events) tools.emit(deployment, note);
      if (write !== undefined && !(await writeDeployment(client, deployment, write)))
        renewals.note(deployment.metadata.uid, now);
      const written = [deployment, ...replicaSets];
      const waits = [requeueAfter, ...written.map(({ metadata: { uid } }) => renewals.wait(uid, now))];
      // Of what held, there is nothing to wait for.
      return soonest(...waits.filter((wait = 0) => wait > 0));
    },
  };
}

/** No event reports that a write was undone. */
function claim(
  client: Client,
  { deployment, candidates }: Seen,
): Promise<readonly Stored<appsv1.ReplicaSet>[] | undefined> {
  if (selectsAll(deployment)) return Promise.resolve([]);
  const selector = workloadSelector(deployment);
  const matches = ({ metadata }: Stored<appsv1.ReplicaSet>): boolean =>
    matchesLabels(selector, metadata.labels);
  const claimant = { ref: appsv1.deployments, object: deployment };
  return claimOwned(client, appsv1.replicasets, { objects: candidates, matches }, claimant);
}
