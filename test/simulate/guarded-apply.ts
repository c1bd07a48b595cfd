import { ApiError, type Client } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';

type Ref = Parameters<Client['apply']>[0];

/** An apply guarded by the version that was read, so that nothing comes back which is gone. A conflict means: not now. */
export function guarded(
  client: Client,
  ref: Ref,
  { metadata: { resourceVersion } }: KubeObject,
  applied: KubeObject,
  fieldManager: string,
): Promise<unknown> {
  const metadata = { ...applied.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  return client
    .apply(ref, { ...applied, metadata }, { fieldManager, force: true })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError && error.code === 409)) throw error;
    });
}
