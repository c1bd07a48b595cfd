import type { KubeObject } from '@kubewright/kube';
import { denial, validatingWebhook } from '@kubewright/runtime';
import type { Sample } from './sample.ts';

export const webhookPath = '/validate-samples';

/** Denies what no schema can tell: an image that may be another one tomorrow. */
export const samplesWebhook = validatingWebhook<Sample>({
  validateCreate: requireTag,
  validateUpdate: (_old, object) => requireTag(object),
});

function requireTag({ spec: { image } }: Sample): void {
  const last = image.slice(image.lastIndexOf('/') + 1);
  if (!/[:@]/.test(last)) throw denial(`spec.image: "${image}" has neither a tag nor a digest`);
}

/** When it is called. The address and the `caBundle` are those of the manager. */
export const webhookConfiguration: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'sample' },
  webhooks: [
    {
      name: 'samples.example.com',
      clientConfig: { service: { path: webhookPath } },
      rules: [
        {
          apiGroups: ['example.com'],
          apiVersions: ['v1'],
          resources: ['samples'],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 10,
    },
  ],
};
