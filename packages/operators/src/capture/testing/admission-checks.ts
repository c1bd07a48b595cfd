import { ApiError, type Client, isAlreadyExists } from '@kubewright/client';
import { rbacv1 } from '@kubewright/kube';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import type { Requester } from './make-requests.ts';

const RBAC = 'rbac.authorization.k8s.io';
const USER = { username: 'may-only-request', groups: ['system:authenticated'] };

type Place = Requester & { as(user: typeof USER): Client };

/** kube-apiserver calls webhooks, and drops them, a moment after they are configured. */
export async function admissionChecks(place: Place, expected = true): Promise<void> {
  await allowRequests(place);
  while ((await isChecked(place)) !== expected);
}

const UNPROCESSABLE = 422;

/** Whether a request for a kind that nobody serves is rejected: the last that both webhooks do to it. */
async function isChecked(place: Place): Promise<boolean | undefined> {
  const request = {
    apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
    kind: 'ManifestCaptureRequest',
    metadata: { namespace: place.namespace, generateName: 'is-checked-' },
    spec: { targets: [{ apiVersion: 'v1', kind: 'NobodyServesThis', name: 'any' }] },
  };
  try {
    await place.as(USER).create(MANIFEST_CAPTURE_REQUESTS, request, { dryRun: true });
    return false;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === UNPROCESSABLE ? true : undefined;
  }
}

/** By objects of the cluster: the namespace holds only what its tests put there. */
async function allowRequests({ admin }: Requester): Promise<void> {
  const apiVersion = `${RBAC}/v1` as const;
  const metadata = { name: USER.username };
  const { group, resource } = MANIFEST_CAPTURE_REQUESTS;
  const rules = [{ apiGroups: [group], resources: [resource], verbs: ['create'] }];
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: USER.username };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: USER.username }];
  try {
    await admin.create(rbacv1.clusterroles, { apiVersion, kind: 'ClusterRole', metadata, rules });
    await admin.create(rbacv1.clusterrolebindings, {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef,
      subjects,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
