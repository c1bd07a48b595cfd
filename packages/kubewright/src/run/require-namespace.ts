import { type Client, ignoreNotFound, isAlreadyExists, isForbidden } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { KubewrightError } from '../kubewright-error.ts';

/**
 * Creates the namespace of the webhooks' certificates where `kubewright install` was not applied: without it the manager
 * never becomes ready. An account that may not read namespaces is one of an installation, which has it.
 */
export async function requireNamespace(client: Client, name: string, signal: AbortSignal): Promise<void> {
  try {
    if ((await ignoreNotFound(client.get(corev1.namespaces, { name }, { signal }))) !== undefined) return;
  } catch (error) {
    if (isForbidden(error)) return;
    throw error;
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} } as const;
  await client.create(corev1.namespaces, namespace, { signal }).catch((error: unknown) => {
    if (isAlreadyExists(error)) return;
    if (!isForbidden(error)) throw error;
    const message = `there is no namespace ${name} for the certificates of webhooks: create it, or name another one with --namespace`;
    throw new KubewrightError('NotFound', message, { cause: error });
  });
}
