import type { corev1, JsonObject, KubeObject } from '@kubewright/kube';
import type { Operator, OperatorParts } from '@kubewright/operators';
import { denial, validatingWebhook } from '@kubewright/runtime';

export const GUARD_WEBHOOKS: readonly JsonObject[] = [
  {
    name: 'guard.example.com',
    clientConfig: { service: { path: '/guard' } },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  },
];

export const guardConfiguration: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'guard' },
  webhooks: GUARD_WEBHOOKS,
};

/** Rejects ConfigMaps that hold a password. */
export const guardParts: OperatorParts = {
  resources: [],
  parts: [
    {
      account: 'guard',
      rules: [],
      add: (manager) =>
        manager.webhookServer().register(
          '/guard',
          validatingWebhook<corev1.ConfigMap>({
            validateCreate({ data = {} }) {
              if ('password' in data) throw denial('a password belongs into a Secret');
            },
          }),
        ),
    },
  ],
  webhooks: [guardConfiguration],
};
export const guard: Operator = {
  name: 'guard',
  summary: 'keeps passwords out',
  load: async () => guardParts,
};
