import {
  type Client,
  ignoreNotFound,
  isNotFound,
  isTooManyRequests,
  type ObjectKey,
} from '@kubewright/client';
import { corev1, errorText, type KubeObject, type Stored } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS } from '@kubewright/operators';
import { NAMESPACE } from './manifests.ts';

/** How the first attempt to move an evicted pod is named. */
export function evictionName({ metadata: { name, uid } }: Stored<corev1.Pod>): ObjectKey {
  return { namespace: NAMESPACE, name: `evict-${name}-${uid.slice(0, 8)}-0` };
}

/** Its eviction is answered with 429, and begins a migration. */
export async function evict(
  client: Client,
  { metadata }: Stored<corev1.Pod>,
  { key, ttlSecs }: { readonly key: ObjectKey; readonly ttlSecs: number | undefined },
): Promise<void> {
  const { name, namespace } = metadata;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  await client.create<KubeObject>(corev1.pods, eviction, { subresource: 'eviction' }).then(
    () => expectMoved(`pod ${name} was evicted`),
    (error: unknown) => expectMoved(isTooManyRequests(error) || isNotFound(error) ? '' : errorText(error)),
  );
  if (ttlSecs === undefined) return;
  const body = { spec: { ttlSecondsAfterFinished: ttlSecs } };
  await ignoreNotFound(client.patch(STATEFUL_MIGRATIONS, key, { type: 'merge', body }));
}

function expectMoved(trouble: string): void {
  if (trouble !== '') throw new TypeError(trouble);
}
