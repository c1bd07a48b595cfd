import type { JsonObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { ClientOrder, TestServer } from '../servers/test-server.ts';
import { call } from '../support/api.ts';
import { issueCertificate, makeAuthority } from '../support/certificates.ts';
import { type HttpsAnswer, httpsCall, type ShownIdentity } from '../support/https-call.ts';

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const DAY = 86_400_000;

type Server = () => TestServer;

function at(days: number): Date {
  return new Date(Date.now() + days * DAY);
}

/** Whom the server takes a client for; the Status where it takes him for nobody. */
async function whoIs(server: TestServer, shown: ShownIdentity): Promise<JsonObject> {
  const { status, body } = await httpsCall(server, 'POST', WHO, shown, REVIEW);
  return status === 201 ? ((body['status'] as JsonObject)['userInfo'] as JsonObject) : body;
}

const UNAUTHORIZED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};

/** Clients by certificate and by nothing at all. */
export function identityContract(server: Server): void {
  describe('a client with a certificate', () => {
    const issued = async (order: ClientOrder): Promise<ShownIdentity> => ({
      certificate: await server().issueClientCertificate(order),
    });

    test('is the common name, and in the groups of its organizations', async () => {
      const shown = await issued({ username: 'carol', groups: ['developers', 'on call'] });
      const user = await whoIs(server(), shown);
      expect(user).toMatchObject({
        username: 'carol',
        groups: ['developers', 'on call', 'system:authenticated'],
      });
      const [id] = (user['extra'] as Record<string, string[]>)[
        'authentication.kubernetes.io/credential-id'
      ] as [string];
      expect(id).toMatch(/^X509SHA256=[0-9a-f]{64}$/);
    });

    test('may do what its groups may', async () => {
      const shown = await issued({ username: 'boss', groups: ['system:masters'] });
      expect((await httpsCall(server(), 'GET', '/api/v1/secrets', shown)).status).toBe(200);
      const nobody = await issued({ username: 'nobody' });
      expect((await httpsCall(server(), 'GET', '/api/v1/secrets', nobody)).body).toMatchObject({
        code: 403,
        message:
          'secrets is forbidden: User "nobody" cannot list resource "secrets" in API group "" at the cluster scope',
      });
    });

    test.each([
      ['has expired', { notBefore: at(-3), notAfter: at(-2) }],
      ['is not valid yet', { notBefore: at(2), notAfter: at(3) }],
    ])('that %s is refused', async (_, validity) => {
      const shown = await issued({ username: 'carol', groups: ['system:masters'], validity });
      expect(await whoIs(server(), shown)).toEqual(UNAUTHORIZED);
    });

    test('that a stranger signed is refused', async () => {
      const stranger = await makeAuthority('stranger');
      const subject = [{ O: ['system:masters'] }, { CN: ['carol'] }];
      const certificate = await issueCertificate(stranger, { subject, usage: 'client' });
      expect(await whoIs(server(), { certificate })).toEqual(UNAUTHORIZED);
    });

    test('is somebody by a good token all the same when the certificate is bad', async () => {
      const validity = { notBefore: at(-3), notAfter: at(-2) };
      const shown = { ...(await issued({ username: 'carol', validity })), token: server().token };
      expect(await whoIs(server(), shown)).toMatchObject({ username: 'admin' });
    });

    test('counts before a token, which is not even looked at', async () => {
      const shown = { ...(await issued({ username: 'carol' })), token: 'no such token' };
      expect(await whoIs(server(), shown)).toMatchObject({ username: 'carol' });
    });

    test('without a common name is refused', async () => {
      const shown = await issued({ username: '', groups: ['system:masters'] });
      expect(await whoIs(server(), shown)).toEqual(UNAUTHORIZED);
    });
  });

  anonymousContract(server);
  tokenHeaderContract(server);
}

function anonymousContract(server: Server): void {
  describe('a client without credentials', () => {
    const get = (path: string): Promise<HttpsAnswer> => httpsCall(server(), 'GET', path);

    test.each(['/healthz', '/livez', '/readyz', '/version'])('may read %s', async (path) => {
      expect((await get(path)).status).toBe(200);
    });

    test.each(['/', '/api', '/apis', '/openapi/v3', '/no/such/path'])('may not read %s', async (path) => {
      expect((await get(path)).body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `forbidden: User "system:anonymous" cannot get path "${path}"`,
        reason: 'Forbidden',
        details: {},
        code: 403,
      });
    });

    test('is refused resources as system:anonymous', async () => {
      const path = '/api/v1/namespaces/default/pods/web';
      expect((await get(path)).body).toMatchObject({
        code: 403,
        details: { name: 'web', kind: 'pods' },
        message:
          'pods "web" is forbidden: User "system:anonymous" cannot get resource "pods" in API group "" in the namespace "default"',
      });
    });

    test('may do what system:unauthenticated is bound to', async () => {
      const roles = '/apis/rbac.authorization.k8s.io/v1';
      const group = 'rbac.authorization.k8s.io';
      const admin = server().transport();
      const metadata = { name: 'identity-everybody' };
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
      await call(admin, 'POST', `${roles}/clusterroles`, { metadata, rules });
      await call(admin, 'POST', `${roles}/clusterrolebindings`, {
        metadata,
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: metadata.name },
        subjects: [{ apiGroup: group, kind: 'Group', name: 'system:unauthenticated' }],
      });
      await expect.poll(async () => (await get('/api/v1/configmaps')).status).toBe(200);
      await call(admin, 'DELETE', `${roles}/clusterrolebindings/${metadata.name}`);
      await call(admin, 'DELETE', `${roles}/clusterroles/${metadata.name}`);
    });

    test('may not impersonate', async () => {
      const headers = { 'impersonate-user': 'admin' };
      expect((await httpsCall(server(), 'GET', '/api', { headers })).body['message']).toBe(
        'forbidden: User "system:anonymous" cannot impersonate-on:user-info:get path "/api"',
      );
    });
  });
}

function tokenHeaderContract(server: Server): void {
  describe('an Authorization header', () => {
    test.each([
      ['with an unknown token is refused', 'Bearer nope'],
      ['with what looks like a token is refused', 'Bearer a.b.c'],
    ])('%s', async (_, authorization) => {
      expect(await whoIs(server(), { headers: { authorization } })).toEqual(UNAUTHORIZED);
    });

    test.each([
      ['of another scheme', 'Basic YWRtaW46YWRtaW4='],
      ['without a token', 'Bearer'],
      ['that is empty', ''],
    ])('%s is none', async (_, authorization) => {
      expect((await whoIs(server(), { headers: { authorization } }))['message']).toContain(
        'User "system:anonymous" cannot create',
      );
    });

    test('says its scheme in any case', async () => {
      const headers = { authorization: `bEaReR ${server().token}` };
      expect(await whoIs(server(), { headers })).toMatchObject({ username: 'admin' });
    });
  });
}
