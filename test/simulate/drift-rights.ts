import type { ScenarioContext } from '@kubewright/cluster';
import { corev1, ownerReferenceTo } from '@kubewright/kube';
import { driftDay } from './drift.ts';
import type { OperatorDay } from './operator-scenario.ts';

const NAMESPACE = 'default';
const TEMPLATE = {
  metadata: { labels: { app: 'shop' } },
  spec: { containers: [{ name: 'main', image: 'shop:1' }] },
};
const SPEC = { selector: { matchLabels: { app: 'shop' } }, template: TEMPLATE };
/** They have been available since before anybody looked. */
const STATUS = { observedGeneration: 1, replicas: 1, conditions: [{ type: 'Available', status: 'True' }] };

/** The parents that the operator knows without a word from an administrator. */
const WORKLOADS = ['Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => ({
  ref: { group: 'apps', version: 'v1', kind },
  name: kind.toLowerCase(),
}));

/** A workload of each kind, and a ConfigMap that it owns. */
async function ownByWorkloads({ client }: ScenarioContext): Promise<void> {
  for (const { ref, name } of WORKLOADS) {
    const metadata = { namespace: NAMESPACE, name };
    const owner = await client.create(ref, { apiVersion: 'apps/v1', kind: ref.kind, metadata, spec: SPEC });
    const body = { status: STATUS };
    await client.patch(ref, metadata, { type: 'merge', body }, { subresource: 'status' });
    const ownerReferences = [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
    await client.create(corev1.configmaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, ownerReferences },
    });
  }
}

/** A day on which the operator meets workloads as parents too. */
export const driftRightsDay: OperatorDay = {
  ...driftDay,
  async script(context) {
    await driftDay.script?.(context);
    await ownByWorkloads(context);
  },
};
