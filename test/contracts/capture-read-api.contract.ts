import { createClient, withImpersonation } from '@kubewright/client';
import {
  apiregistrationv1,
  canonicalJson,
  corev1,
  isJsonObject,
  rbacv1,
  type Transport,
} from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { MANIFEST_CAPTURE_REQUESTS } from '../../packages/operators/src/capture/api/manifest-capture-request.ts';
import { MANIFEST_CHECKPOINTS } from '../../packages/operators/src/capture/api/manifest-checkpoint.ts';
import { captureParts } from '../../packages/operators/src/capture/controller.ts';
import { readCheckpoint } from '../../packages/operators/src/capture/manifests/read-checkpoint.ts';
import {
  READ_API_SERVICE,
  READ_GROUP,
} from '../../packages/operators/src/capture/read-api/read-api-service.ts';
import { admissionChecks } from '../../packages/operators/src/capture/testing/admission-checks.ts';
import {
  createManifestRequest,
  finished,
} from '../../packages/operators/src/capture/testing/make-requests.ts';
import { useOperator } from '../../packages/operators/src/kit/testing/use-operator.ts';
import { call } from '../support/api.ts';
import { issueCertificate, makeAuthority } from '../support/certificates.ts';
import { httpsCall } from '../support/https-call.ts';

const RBAC = 'rbac.authorization.k8s.io';
const PATH = `/apis/${READ_GROUP}/v1alpha1/manifestcheckpoints`;
const CAPTURABLE = { apiGroups: [''], resources: ['configmaps'] };
const NAMES = ['one', 'two', 'three', 'four', 'five'];
const WITHIN = { timeout: 30_000 };
const TRUSTED = { timeoutMs: 90_000 };

/** The API that reads checkpoints, as the API server passes requests on to the manager. */
export function captureReadApiContract(transport: () => Transport): void {
  describe('the API that reads checkpoints', () => {
    // The smallest chunks: each object has one of its own.
    const env = { CAPTURE_CHUNK_BYTES: '1024' };
    const capture = useOperator(transport, captureParts, { anyKind: CAPTURABLE, env });
    const { namespace } = capture;
    let checkpoint = '';
    let manager: { readonly url: string; readonly caCert: string };

    beforeAll(async () => {
      await admissionChecks(capture);
      const { name } = READ_API_SERVICE.metadata as { readonly name: string };
      const isAvailable = (service?: apiregistrationv1.APIService): boolean =>
        service?.status?.conditions?.some(({ type, status }) => type === 'Available' && status === 'True') ??
        false;
      const service = await waitForObject(
        capture.admin,
        apiregistrationv1.apiservices,
        { name },
        isAvailable,
        TRUSTED,
      );
      const { service: address, caBundle = '' } = service?.spec ?? {};
      const caCert = Buffer.from(caBundle, 'base64').toString();
      manager = { url: `https://127.0.0.1:${address?.port}`, caCert };
      for (const name of NAMES)
        await capture.admin.create(corev1.configmaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace, name },
          // Does not compress.
          data: {
            noise: Array.from({ length: 2000 }, (_, index) => (index ** 3 * 7919).toString(36)).join(''),
          },
        });
      const targets = NAMES.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', name }));
      await createManifestRequest(capture, 'read', targets);
      const { status } = await finished(capture, MANIFEST_CAPTURE_REQUESTS, 'read');
      checkpoint = status?.checkpointName ?? '';
    });

    const path = (name = checkpoint): string => `${PATH}/${name}/manifests`;
    const as = (user: string): Transport =>
      withImpersonation(transport(), { user, groups: ['system:authenticated'] });
    const read = (from: Transport, name?: string) => call(from, 'GET', path(name));
    const expected = async (): Promise<string> =>
      canonicalJson(await readCheckpoint(capture.admin, checkpoint));

    /** Whoever may read checkpoints by this API, and do nothing else. */
    async function allow(subject: rbacv1.Subject): Promise<void> {
      const name = `read-${subject.name}`;
      const rules = [
        { apiGroups: [READ_GROUP], resources: ['manifestcheckpoints/manifests'], verbs: ['get'] },
      ];
      const apiVersion = `${RBAC}/v1` as const;
      await capture.admin.create(rbacv1.clusterroles, {
        apiVersion,
        kind: 'ClusterRole',
        metadata: { name },
        rules,
      });
      await capture.admin.create(rbacv1.clusterrolebindings, {
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
        subjects: [subject],
      });
    }

    test('CAP-94 streams the manifests in the order of capture', async () => {
      const { status } = await capture.admin.get(MANIFEST_CHECKPOINTS, { name: checkpoint });
      expect(status?.chunks).toHaveLength(NAMES.length);
      const { status: code, body } = await read(transport());
      expect(code).toBe(200);
      expect(canonicalJson(body)).toBe(await expected());
    });

    test('CAP-95 to those who may read them, and to nobody else', async () => {
      const denied = await read(as('nosy'));
      expect(denied).toMatchObject({ status: 403 });
      expect(isJsonObject(denied.body) ? denied.body['message'] : '').toContain(
        'cannot get resource "manifestcheckpoints/manifests"',
      );
      await allow({ apiGroup: RBAC, kind: 'User', name: 'reader' });
      // kube-apiserver knows a new binding a moment later.
      await expect.poll(async () => (await read(as('reader'))).status, WITHIN).toBe(200);
      const chunks = createClient(as('reader')).list(MANIFEST_CHECKPOINTS);
      await expect(chunks).rejects.toMatchObject({ code: 403 });
    });

    test('CAP-95 what is missing is 404, what is not Ready 409, and nothing is written', async () => {
      expect(await read(transport(), 'nothing')).toMatchObject({ status: 404 });
      const metadata = { name: `${namespace}-open` };
      const apiVersion = 'state-snapshotter.deckhouse.io/v1alpha1';
      await capture.admin.create(MANIFEST_CHECKPOINTS, { apiVersion, kind: 'ManifestCheckpoint', metadata });
      expect(await read(transport(), metadata.name)).toMatchObject({ status: 409 });
      expect(await call(transport(), 'POST', path(), {})).toMatchObject({ status: 405 });
    });

    test('is found by discovery', async () => {
      const { body } = await call(transport(), 'GET', `/apis/${READ_GROUP}/v1alpha1`);
      expect(body).toMatchObject({
        kind: 'APIResourceList',
        resources: [{ name: 'manifestcheckpoints/manifests', namespaced: false, verbs: ['get'] }],
      });
    });

    describe('called without the API server', () => {
      const spoofed = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };

      test('does not believe in headers', async () => {
        const answer = await httpsCall(manager, 'GET', path(), { headers: spoofed });
        expect(answer).toMatchObject({ status: 401 });
      });

      test('does not believe in a certificate of the right name by another authority', async () => {
        const subject = [{ CN: ['front-proxy-client'] }];
        const certificate = await issueCertificate(await makeAuthority('stranger'), {
          subject,
          usage: 'client',
        });
        const answer = await httpsCall(manager, 'GET', path(), { certificate, headers: spoofed });
        expect(answer).toMatchObject({ status: 401 });
      });

      test('CAP-97 takes a token, and sends gzip to who accepts it', async () => {
        const metadata = { namespace, name: 'robot' };
        await capture.admin.create(corev1.serviceaccounts, {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata,
        });
        const tokens = `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`;
        const { body } = await call(transport(), 'POST', tokens, { spec: {} });
        const { token = '' } = (body as { readonly status?: { readonly token?: string } }).status ?? {};
        expect(await httpsCall(manager, 'GET', path(), { token })).toMatchObject({ status: 403 });
        await allow({ kind: 'ServiceAccount', name: 'robot', namespace });
        const text = async () => (await httpsCall(manager, 'GET', path(), { token })).text;
        await expect.poll(text, WITHIN).toBe(`${await expected()}\n`);
        const zipped = await httpsCall(manager, 'GET', path(), {
          token,
          headers: { 'accept-encoding': 'gzip' },
        });
        expect(zipped).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' } });
      });
    });
  });
}
