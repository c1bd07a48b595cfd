import { ApiError } from '@kubewright/client';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import type { Requester } from './make-requests.ts';

/** kube-apiserver calls webhooks, and drops them, a moment after they are configured. */
export async function admissionChecks(requester: Requester, expected = true): Promise<void> {
  while ((await isChecked(requester)) !== expected);
}

const UNPROCESSABLE = 422;

/** Whether a request for a kind that nobody serves is rejected: the last that both webhooks do to it. */
async function isChecked({ admin, namespace }: Requester): Promise<boolean | undefined> {
  const request = {
    apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
    kind: 'ManifestCaptureRequest',
    metadata: { namespace, generateName: 'is-checked-' },
    spec: { targets: [{ apiVersion: 'v1', kind: 'NobodyServesThis', name: 'any' }] },
  };
  try {
    await admin.create(MANIFEST_CAPTURE_REQUESTS, request, { dryRun: true });
    return false;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === UNPROCESSABLE ? true : undefined;
  }
}
