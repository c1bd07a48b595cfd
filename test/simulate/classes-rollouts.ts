import { createClient, ignoreNotFound, isAlreadyExists, isConflict, withRetry } from '@kubewright/client';
import type { Component } from '@kubewright/cluster';
import { appsv1, corev1, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { addSimulatedKnative } from '../../packages/operators/src/classes/testing/simulated-knative.ts';
import { createManager, type Manager, type Reconciler, silentLogger, watchKind } from '@kubewright/runtime';

/** What Deployments' controllers and nodes do, as far as classes look at it: one pod of each is enough for them. */
export const rollouts: Component = {
  name: 'rollouts',
  async start({ transport, clock, random, signal }) {
    const client = createClient(withRetry(transport, { clock, random }));
    const manager = createManager({ client, clock, random, log: silentLogger });
    manager.addController({
      name: 'deployments',
      reconciler: deployments(manager),
      sources: [watchKind(appsv1.deployments), watchKind(corev1.pods)],
    });
    manager.addController({
      name: 'services',
      reconciler: services(manager),
      sources: [watchKind(corev1.services)],
    });
    await manager.start(signal);
  },
};

/** Knative, for classes whose functions are its Services; its Deployments roll out as all do. */
export const knative: Component = {
  name: 'knative',
  async start({ transport, clock, random, signal }) {
    const client = createClient(withRetry(transport, { clock, random }));
    const manager = createManager({ client, clock, random, log: silentLogger });
    addSimulatedKnative(manager);
    await manager.start(signal);
  },
};

/** Looks again in any case: a write that somebody's webhook undoes brings no event. */
async function settled(write: Promise<unknown>): Promise<{ requeueAfter: number }> {
  await ignoreNotFound(write).catch((error: unknown) => {
    if (!isConflict(error) && !isAlreadyExists(error)) throw error;
  });
  return { requeueAfter: 1000 };
}

function release({ metadata: { resourceVersion } }: Stored) {
  return { type: 'merge', body: { metadata: { resourceVersion, finalizers: [] } } } as const;
}

/** A pod has the name of its Deployment. */
function deployments({ cache, client }: Manager): Reconciler {
  return {
    async reconcile(request) {
      const live = cache.get(appsv1.deployments, request);
      if (live === undefined) return {};
      if (live.metadata.deletionTimestamp !== undefined)
        return settled(client.patch(appsv1.deployments, request, release(live)));
      const pod = cache.get(corev1.pods, request);
      if (pod === undefined) return settled(client.create(corev1.pods, podOf(live)));
      const running = { type: 'merge', body: { status: { phase: 'Running' } } } as const;
      if (pod.status?.phase !== 'Running')
        return settled(client.patch(corev1.pods, request, running, { subresource: 'status' }));
      if (live.status?.observedGeneration === live.metadata.generation) return {};
      return settled(client.patch(appsv1.deployments, request, rolledOut(live), { subresource: 'status' }));
    },
  };
}

function rolledOut({ metadata, spec }: Stored<appsv1.Deployment>) {
  const { generation = 0, resourceVersion } = metadata;
  const { replicas = 1 } = spec ?? {};
  const counts = {
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
  };
  const body = { metadata: { resourceVersion }, status: { observedGeneration: generation, ...counts } };
  return { type: 'merge', body } as const;
}

function podOf(live: Stored<appsv1.Deployment>): corev1.Pod {
  const { name, namespace, labels = {} } = live.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, ownerReferences: [ownerReferenceTo(live, { controller: true })] },
    spec: { containers: [{ name: 'main', image: 'a:1' }] },
  };
}

function services({ cache, client }: Manager): Reconciler {
  return {
    async reconcile(request) {
      const live = cache.get(corev1.services, request);
      if (live?.metadata.deletionTimestamp === undefined) return {};
      return settled(client.patch(corev1.services, request, release(live)));
    },
  };
}
