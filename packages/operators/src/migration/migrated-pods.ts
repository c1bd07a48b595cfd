import { controllerOf, type corev1, type KubeObject } from '@kubewright/kube';
import { ignoreNotFound } from '@kubewright/client';
import {
  type AdmissionRequest,
  admissionWebhook,
  allowed,
  type Cache,
  type Manager,
  patched,
  type Webhook,
} from '@kubewright/runtime';
import { GROUP, isTerminal, STATEFUL_MIGRATIONS, type StatefulMigration } from './api.ts';
import { BY_POD, BY_REPLICA_SET, podKey } from './add-indexes.ts';
import { replacement } from './pods/replacement.ts';

export const WEBHOOK_PATH = '/mutate-migrated-pods';

/**
 * Matches pods of StatefulSets and ReplicaSets on creation. A pod created while this webhook is unavailable has no state; the
 * operator finds and replaces it. Blocking every workload of the cluster would be worse.
 */
export const MIGRATED_PODS: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'kubewright-migration' },
  webhooks: [
    {
      name: `pods.${GROUP}`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['pods'],
          scope: 'Namespaced',
        },
      ],
      matchConditions: [
        {
          name: 'of-a-set',
          expression:
            "has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, o.kind in ['StatefulSet', 'ReplicaSet'])",
        },
      ],
      clientConfig: { service: { path: WEBHOOK_PATH } },
    },
  ],
};

/** Changes the pod that takes over from a shadow. Which one that is comes from the live migration, not the cache. */
export function migratedPods({ cache, client }: Pick<Manager, 'cache' | 'client'>): Webhook {
  return admissionWebhook(async ({ object, namespace, name }) => {
    if (object === undefined) return allowed();
    const pod = object as KubeObject & corev1.Pod;
    for (const { metadata } of openFor(pod, { namespace, name }, cache)) {
      const live = await ignoreNotFound(client.get(STATEFUL_MIGRATIONS, { namespace, name: metadata.name }));
      const changed = live === undefined ? undefined : replacement(pod, live);
      if (changed !== undefined) return patched(pod, changed);
    }
    return allowed();
  });
}

/** A StatefulSet's pod has the name of the source, a ReplicaSet's another one. */
function openFor(
  pod: KubeObject,
  { namespace, name }: Pick<AdmissionRequest, 'namespace' | 'name'>,
  cache: Cache,
): readonly StatefulMigration[] {
  const owner = controllerOf(pod)?.uid ?? '';
  return [
    ...cache.byIndex(STATEFUL_MIGRATIONS, BY_POD, podKey(namespace, name)),
    ...cache.byIndex(STATEFUL_MIGRATIONS, BY_REPLICA_SET, owner),
  ].filter(({ status }) => status !== undefined && !isTerminal(status));
}
