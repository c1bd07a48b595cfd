import type { Client } from '@kubewright/client';
import { admissionregistrationv1, corev1, jsonEqual } from '@kubewright/kube';
import { expect, vi } from 'vitest';
import { at, textAt } from '../support/at.ts';
import { startWebhookServer } from '../support/webhook-server.ts';

const CONFIGURATIONS = admissionregistrationv1.mutatingwebhookconfigurations;

/** Somebody's webhook, called after the operator's, that writes the ConfigMap whose update is on its way. */
export type Meddler = {
  /** Of the next update: it meets a conflict, and the server calls all webhooks again. */
  arm(): void;
  /** The uids of requests about a ConfigMap's data. */
  requests(name: string): readonly string[];
  stop(): Promise<void>;
};

/** @param known a ConfigMap by which it is seen that the server calls the webhook. */
export async function startMeddler(admin: Client, namespace: string, known: string): Promise<Meddler> {
  const metadata = { name: `zz-${namespace}` };
  const server = await startWebhookServer();
  let isArmed = false;
  let count = 0;
  const label = (name: string): Promise<unknown> => {
    const body = { metadata: { labels: { meddled: String((count += 1)) } } };
    return admin.patch(corev1.configmaps, { namespace, name }, { type: 'merge', body });
  };
  const { path, asked } = server.answer(async (request) => {
    const isNext = isArmed;
    isArmed = false;
    if (isNext) await label(textAt(request, 'name'));
    return { allowed: true };
  });
  const webhook = {
    name: 'meddler.example.com',
    clientConfig: { url: `https://127.0.0.1:${server.port}${path}`, caBundle: server.caBundle },
    rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  } as const;
  await admin.create(CONFIGURATIONS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata,
    webhooks: [webhook],
  });
  await vi.waitFor(
    async () => {
      await label(known);
      expect(asked).not.toEqual([]);
    },
    { timeout: 30_000 },
  );
  return {
    arm: () => void (isArmed = true),
    requests: (name) =>
      asked
        .filter((request) => textAt(request, 'name') === name)
        .filter(
          (request) =>
            !jsonEqual(at(request, 'object', 'data') ?? {}, at(request, 'oldObject', 'data') ?? {}),
        )
        .map((request) => textAt(request, 'uid')),
    async stop() {
      await admin.delete(CONFIGURATIONS, metadata);
      await server.stop();
    },
  };
}
