import type { Json, JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TestServer } from '../servers/test-server.ts';
import { type KeyPair, makeAuthority } from '../support/certificates.ts';
import { EXTENSION_GROUP, type ExtensionServer, startExtensionServer } from '../support/extension-server.ts';
import { httpsCall } from '../support/https-call.ts';
import {
  apiService,
  becomes,
  conditionOf,
  DEADLINE,
  makeService,
  NAMESPACE,
  SERVICES,
  type Server,
  send,
} from './aggregation-calls.ts';

const NAME = `v1.${EXTENSION_GROUP}`;
const GROUP = `/apis/${EXTENSION_GROUP}`;
const NOTES = `${GROUP}/v1/namespaces/${NAMESPACE}/notes`;

/** An APIService that another server answers for: whom each of the two trusts, what passes between them. */
export function extensionServerContract(server: Server): void {
  configurationContract(server);
  delegateContract(server);
}

async function extensionConfig(server: TestServer): Promise<Record<string, string>> {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  return await vi.waitFor(async () => {
    const { status, body } = await send(server, 'GET', path);
    expect(status).toBe(200);
    return body['data'] as Record<string, string>;
  }, DEADLINE);
}

function configurationContract(server: Server): void {
  test('extension servers are told whom to trust', async () => {
    const {
      'client-ca-file': clients,
      'requestheader-client-ca-file': proxies,
      ...rest
    } = await extensionConfig(server());
    expect(clients).toContain('BEGIN CERTIFICATE');
    expect(proxies).toContain('BEGIN CERTIFICATE');
    expect(rest).toEqual({
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  });
}

function delegateContract(server: Server): void {
  describe('an APIService that another server answers for', () => {
    let authority: KeyPair;
    let extension: ExtensionServer;
    const service = (): JsonObject => ({ namespace: NAMESPACE, name: 'notes', port: extension.port });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');

    beforeAll(async () => {
      const { 'requestheader-client-ca-file': proxies = '' } = await extensionConfig(server());
      authority = await makeAuthority('extensions');
      extension = await startExtensionServer(authority, [`notes.${NAMESPACE}.svc`], proxies);
      await makeService(server(), 'notes');
      const spec = { service: service(), caBundle: base64(authority.cert) };
      await send(server(), 'POST', SERVICES, apiService(NAME, spec));
      await becomes(server(), NAME, { status: 'True', reason: 'Passed', message: 'all checks passed' });
      await vi.waitFor(async () => expect((await send(server(), 'GET', NOTES)).status).toBe(200), DEADLINE);
    });

    afterAll(async () => {
      await send(server(), 'DELETE', `${SERVICES}/${NAME}`);
      await extension?.close();
    });

    test('is checked in the name of the aggregator, which may see everything', () => {
      const check = extension.heard.find(
        ({ headers }) => headers['x-remote-user'] === 'system:kube-aggregator',
      );
      expect(check).toMatchObject({ method: 'GET', url: `${GROUP}/v1`, trusted: true });
      expect(check?.headers['x-remote-group']).toBe('system:masters');
    });

    proxyContract(server, () => extension);
    identityHeadersContract(server, () => extension);
    discoveryContract(server);

    test('whose certificate another CA signed is unavailable', async () => {
      const stranger = await makeAuthority('stranger');
      const spec = { service: service(), caBundle: base64(stranger.cert) };
      const name = 'v1.stranger.test';
      await send(server(), 'POST', SERVICES, apiService(name, spec));
      await becomes(server(), name, { status: 'False', reason: 'FailedDiscoveryCheck' });
      await send(server(), 'DELETE', `${SERVICES}/${name}`);
    });

    test('whose certificate is for another name is unavailable', async () => {
      await makeService(server(), 'renamed');
      const renamed = { ...service(), name: 'renamed' };
      const name = 'v1.renamed.test';
      const spec = { service: renamed, caBundle: base64(authority.cert) };
      await send(server(), 'POST', SERVICES, apiService(name, spec));
      await becomes(server(), name, { status: 'False', reason: 'FailedDiscoveryCheck' });
      await send(server(), 'DELETE', `${SERVICES}/${name}`);
    });

    test('need not be verified', async () => {
      const name = `v2.${EXTENSION_GROUP}`;
      const spec = { service: service(), insecureSkipTLSVerify: true };
      await send(server(), 'POST', SERVICES, apiService(name, spec));
      // It is reached, and does not know this version.
      await vi.waitFor(async () => {
        const { reason, message } = (await conditionOf(server(), name)) ?? {};
        expect(reason).toBe('FailedDiscoveryCheck');
        expect(message).toContain('bad status from');
        expect(message).toContain('418');
      }, DEADLINE);
      await send(server(), 'DELETE', `${SERVICES}/${name}`);
    });

    test('is gone when it is deleted', async () => {
      await send(server(), 'DELETE', `${SERVICES}/${NAME}`);
      await vi.waitFor(async () => expect((await send(server(), 'GET', NOTES)).status).toBe(404), DEADLINE);
    });
  });
}

function last(extension: ExtensionServer, url: string): ExtensionServer['heard'][number] | undefined {
  return extension.heard.findLast((one) => one.url.startsWith(url));
}

function proxyContract(server: Server, extension: () => ExtensionServer): void {
  test('gets requests as they are, and its answers are passed on', async () => {
    const note = { apiVersion: `${EXTENSION_GROUP}/v1`, kind: 'Note', metadata: { name: 'a' }, text: 'ü' };
    const path = `${NOTES}?fieldManager=me&dryRun=All`;
    const answer = await httpsCall(server(), 'POST', path, { token: server().token }, note);
    expect(answer).toMatchObject({ status: 201, body: note });
    expect(answer.headers['x-notes']).toBe('yes');
    const heard = last(extension(), `${NOTES}?`);
    expect(heard).toMatchObject({ method: 'POST', body: JSON.stringify(note) });
    expect(new URL(heard?.url ?? '', 'https://x').searchParams.get('dryRun')).toBe('All');
    expect(heard?.headers['content-type']).toBe('application/json');
  });

  test('refuses in its own words', async () => {
    expect((await send(server(), 'GET', `${NOTES}/none`)).body).toMatchObject({
      code: 418,
      message: 'teapot',
    });
  });

  test('streams a watch, and hears when the client leaves', async () => {
    const over = new AbortController();
    const path = `${NOTES}?watch=1`;
    const { status, body } = await server()
      .transport()
      .request({ method: 'GET', path, headers: {}, signal: over.signal });
    expect(status).toBe(200);
    const chunks = body[Symbol.asyncIterator]();
    for (const name of ['first', 'second']) {
      extension().tell({ type: 'ADDED', object: { metadata: { name } } });
      // The next comes only when this one has been read: nothing is held back.
      const { value } = (await chunks.next()) as { value: Uint8Array };
      expect(JSON.parse(Buffer.from(value).toString())).toMatchObject({ object: { metadata: { name } } });
    }
    expect(extension().watchers).toBe(1);
    over.abort();
    await vi.waitFor(() => expect(extension().watchers).toBe(0), DEADLINE);
  });
}

function identityHeadersContract(server: Server, extension: () => ExtensionServer): void {
  const bind = async (user: string): Promise<void> => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const metadata = { name: `aggregation-${user}` };
    const rules = [{ apiGroups: [EXTENSION_GROUP], resources: ['notes'], verbs: ['list'] }];
    await send(server(), 'POST', `${rbac}/clusterroles`, { metadata, rules });
    await send(server(), 'POST', `${rbac}/clusterrolebindings`, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  };

  test('gets no request of those who have no right to it', async () => {
    const certificate = await server().issueClientCertificate({ username: 'nosy' });
    const { body } = await httpsCall(server(), 'GET', NOTES, { certificate });
    expect(body).toMatchObject({
      code: 403,
      message: `notes.${EXTENSION_GROUP} is forbidden: User "nosy" cannot list resource "notes" in API group "${EXTENSION_GROUP}" in the namespace "${NAMESPACE}"`,
    });
  });

  test('gets the user from the API server, not from the client', async () => {
    await bind('noter');
    const groups = ['readers', 'writers'];
    const certificate = await server().issueClientCertificate({ username: 'noter', groups });
    const headers = {
      'x-remote-user': 'admin',
      'x-remote-group': 'system:masters',
      'x-remote-extra-scopes': 'all',
    };
    const path = `${NOTES}?asked=1`;
    await vi.waitFor(
      async () => expect((await httpsCall(server(), 'GET', path, { certificate, headers })).status).toBe(200),
      DEADLINE,
    );
    const heard = last(extension(), path);
    expect(heard?.trusted).toBe(true);
    expect(heard?.headers).toMatchObject({
      'x-remote-user': 'noter',
      'x-remote-group': 'readers, writers, system:authenticated',
      'x-remote-extra-authentication.kubernetes.io%2fcredential-id': expect.stringMatching(/^X509SHA256=/),
    });
    expect(heard?.headers['x-remote-extra-scopes']).toBeUndefined();
  });

  test('is told who is impersonated, and gets no token', async () => {
    const headers = { 'impersonate-user': 'noter', 'impersonate-group': 'guests' };
    const path = `${NOTES}?asked=2`;
    const { status } = await httpsCall(server(), 'GET', path, { token: server().token, headers });
    expect(status).toBe(200);
    const heard = last(extension(), path);
    expect(heard?.headers).toMatchObject({
      'x-remote-user': 'noter',
      'x-remote-group': 'guests, system:authenticated',
    });
    expect(heard?.headers.authorization).toBeUndefined();
    expect(heard?.headers['impersonate-user']).toBeUndefined();
  });
}

function discoveryContract(server: Server): void {
  test('is found by clients', async () => {
    const version = { groupVersion: `${EXTENSION_GROUP}/v1`, version: 'v1' };
    const group = { name: EXTENSION_GROUP, versions: [version], preferredVersion: version };
    await vi.waitFor(async () => {
      const { body } = await send(server(), 'GET', '/apis');
      expect(body['groups']).toContainEqual(group);
    }, DEADLINE);
    expect((await send(server(), 'GET', GROUP)).body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...group,
    });
    expect((await send(server(), 'GET', `${GROUP}/v1`)).body).toMatchObject({ kind: 'APIResourceList' });
  });

  test('is found by clients that ask for everything at once', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    await vi.waitFor(
      async () => {
        const { body } = await httpsCall(server(), 'GET', '/apis', {
          token: server().token,
          headers: { accept },
        });
        const items = body['items'] as { metadata: { name: string }; versions: Json }[];
        const found = items.find(({ metadata }) => metadata.name === EXTENSION_GROUP);
        const kind = { group: '', version: '', kind: 'Note' };
        expect(found?.versions).toEqual([
          {
            version: 'v1',
            resources: [
              {
                resource: 'notes',
                responseKind: kind,
                scope: 'Namespaced',
                singularResource: 'note',
                verbs: ['create', 'get', 'list', 'watch'],
                shortNames: ['nt'],
                subresources: [{ subresource: 'status', responseKind: kind, verbs: ['get'] }],
              },
            ],
            freshness: 'Current',
          },
        ]);
      },
      { timeout: DEADLINE, interval: 200 },
    );
  });
}
