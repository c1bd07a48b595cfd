import type { Client, Ref } from '@kubewright/client';
import type { Condition, KubeObject, Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import {
  type CaptureTarget,
  MANIFEST_CAPTURE_REQUESTS,
  type ManifestCaptureRequest,
} from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from '../api/volume-capture-request.ts';

/** Who makes requests, and in which namespace. */
export type Requester = { readonly admin: Client; readonly namespace: string };

export type RequestStatus = {
  readonly completionTimestamp?: string;
  readonly conditions?: readonly Condition[];
};
type RequestObject = KubeObject & { readonly status?: RequestStatus };

/** kube-controller-manager's garbage collector looks for new kinds every 30 s. */
const GC_MS = 90_000;

export function createManifestRequest(
  { admin, namespace }: Requester,
  name: string,
  targets: readonly CaptureTarget[],
): Promise<ManifestCaptureRequest> {
  return admin.create(MANIFEST_CAPTURE_REQUESTS, {
    apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
    kind: 'ManifestCaptureRequest',
    metadata: { namespace, name },
    spec: { targets },
  });
}

export function createSnapshotRequest(
  { admin, namespace }: Requester,
  name: string,
  claim: { readonly name: string; readonly uid: string },
): Promise<VolumeCaptureRequest> {
  return admin.create(VOLUME_CAPTURE_REQUESTS, {
    apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
    kind: 'VolumeCaptureRequest',
    metadata: { namespace, name },
    spec: {
      mode: 'Snapshot',
      target: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: claim.name, uid: claim.uid },
    },
  });
}

/** A request when it has ended, however. */
export async function finished<T extends RequestObject>(
  { admin, namespace }: Requester,
  ref: Ref<T>,
  name: string,
): Promise<Stored<T>> {
  const done = await waitForObject(
    admin,
    ref,
    { namespace, name },
    (live) => live?.status?.completionTimestamp !== undefined,
  );
  if (done === undefined) throw new TypeError(`${name} is gone`);
  return done;
}

/** Resolves when a cluster-scoped object is collected. */
export async function gone(admin: Client, ref: Ref, name: string): Promise<void> {
  await waitForObject(admin, ref, { name }, (live) => live === undefined, { timeoutMs: GC_MS });
}
