import { createClient, ignoreNotFound, withRetry } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import { corev1, ownerReferenceTo } from '@kubewright/kube';
import { DRIFT_ANNOTATIONS } from '@kubewright/operators';
import { driftDay } from './drift.ts';
import type { OperatorDay } from './operator-scenario.ts';

const NAMESPACE = 'default';
const TEMPLATE = {
  metadata: { labels: { app: 'shop' } },
  spec: { containers: [{ name: 'main', image: 'shop:1' }] },
};
const SPEC = { selector: { matchLabels: { app: 'shop' } }, template: TEMPLATE };
/** They have been available since before anybody looked. */
const STATUS = {
  observedGeneration: 1,
  replicas: 1,
  updatedReplicas: 1,
  conditions: [{ type: 'Available', status: 'True' }],
};

const CONTROLLER = {
  username: 'system:serviceaccount:kube-system:workload-controller',
  groups: ['system:masters'],
};

/** The parents that the operator knows without a word from an administrator. */
const WORKLOADS = ['Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => ({
  ref: { group: 'apps', version: 'v1', kind },
  name: kind.toLowerCase(),
}));

/** A workload of each kind, and a ConfigMap that it owns. */
async function ownByWorkloads({ client, connect, clock, random }: ScenarioContext): Promise<void> {
  const controller = createClient(withRetry(connect(CONTROLLER), { clock, random: () => random.next() }));
  for (const { ref, name } of WORKLOADS) {
    const key = { namespace: NAMESPACE, name };
    const approval = { apiVersion: 'v1', kind: 'ConfigMap', name, mode: 'once', generation: 1 };
    const metadata = { ...key, annotations: { [DRIFT_ANNOTATIONS.approvals]: JSON.stringify([approval]) } };
    const owner = await client.create(ref, { apiVersion: 'apps/v1', kind: ref.kind, metadata, spec: SPEC });
    const body = { status: STATUS };
    await controller.patch(ref, key, { type: 'merge', body }, { subresource: 'status' });
    const ownerReferences = [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
    await controller.create(corev1.configmaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...key, ownerReferences },
    });
    // Nobody has changed the owner since: this is drift, and uses the approval.
    await controller.patch(corev1.configmaps, key, { type: 'merge', body: { data: { changed: 'yes' } } });
  }
}

/** A day on which the operator meets workloads as parents too. */
export const driftRightsDay: OperatorDay = {
  ...driftDay,
  async script(context) {
    await driftDay.script?.(context);
    await ownByWorkloads(context);
  },
  async missing(context) {
    for (const { ref, name } of WORKLOADS) {
      const workload = await ignoreNotFound(context.client.get(ref, { namespace: NAMESPACE, name }));
      if (workload?.metadata.annotations?.[DRIFT_ANNOTATIONS.approvals] !== undefined)
        return `the approval on ${ref.kind} ${name} is still there`;
    }
    return driftDay.missing(context);
  },
};
