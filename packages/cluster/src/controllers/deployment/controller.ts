import { appsv1, controllerOf, corev1, type KubeObject } from '@kubewright/kube';
import {
  type Cache,
  type Manager,
  type Reconciler,
  type Request,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { indexByController, watchControlled } from '../workloads/by-controller.ts';
import { act, writeDeployment } from './act.ts';
import { decide } from './decide/decide.ts';
import { observe } from './observe.ts';

/** The service account of `kube-system` that it acts as. */
export const DEPLOYMENT_CONTROLLER = 'deployment-controller';

const CONCURRENT = 5;

/** Rolls Deployments out. */
export function addDeploymentController(manager: Manager): void {
  const { cache } = manager;
  indexByController(cache, appsv1.replicasets);
  indexByController(cache, corev1.pods);
  manager.addController({
    name: 'deployment',
    reconciler: reconcilerOf(manager),
    sources: [
      watchKind(appsv1.deployments),
      watchControlled(appsv1.replicasets, {
        ref: appsv1.deployments,
        group: 'apps',
        kind: 'Deployment',
        cache,
      }),
      // Strategy Recreate waits until the last old pod is gone.
      watchMapped(corev1.pods, (pod) => deploymentOf(cache, pod), {
        predicates: [({ type }) => type === 'Delete'],
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
  const tools = {
    client,
    now: () => clock.now(),
    tell: (...about: Parameters<typeof recorder.record>) => void recorder.record(...about),
  };
  return {
    async reconcile(request) {
      const observed = observe(cache, request);
      if (observed === undefined) return {};
      const { deployment } = observed;
      const { actions, events = [], write, requeueAfter } = decide(observed, clock.now());
      await act(tools, deployment, actions);
      for (const note of events) tools.tell(deployment, note);
      if (write !== undefined) await writeDeployment(client, deployment, write);
      return requeueAfter === undefined ? {} : { requeueAfter };
    },
  };
}
