import { request } from 'node:https';
import { type ApiServer, createApiServer, type KeyPair } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { corev1, rbacv1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningNodes, startNodes } from '../start-nodes.ts';
import { type KubeletServer, openKubeletServer } from './kubelet-server.ts';

const POD = { namespace: 'default', name: 'web' };
const stop = new AbortController();
let server: ApiServer;
let kubeletServer: KubeletServer;
let nodes: RunningNodes;

beforeAll(async () => {
  // The kubelets are asked over HTTPS: the address is of no matter for logs.
  server = createApiServer({ kubelets: { preferredAddressTypes: ['InternalIP'] } });
  await server.listen();
  kubeletServer = await openKubeletServer({ signal: stop.signal });
  const place = { address: '127.0.0.1', kubeletPort: kubeletServer.port };
  nodes = startNodes({
    nodes: [
      { name: 'a', ...place },
      { name: 'b', ...place },
    ],
    connect: (user) => server.transport(user),
    signal: stop.signal,
  });
  await nodes.ready;
  const node = server.transport({ username: 'system:node:a', groups: ['system:nodes'] });
  await kubeletServer.serve(nodes.kubelet, { client: createClient(node) });
  const client = createClient(server.transport());
  await client.create(corev1.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: POD,
    spec: { nodeName: 'a', containers: [{ name: 'main', image: 'web:1' }] },
  });
  await waitForObject(client, corev1.pods, POD, (pod) => pod?.status?.phase === 'Running');
});
afterAll(async () => {
  stop.abort();
  await Promise.all([nodes.ended, kubeletServer.ended]);
  await server.close();
});

/** Calls the server as any client on the network. */
function ask(
  method: string,
  path: string,
  shown: Partial<KeyPair> & { readonly headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { headers = {}, ...certificate } = shown;
  const { port, caCert: ca } = kubeletServer;
  const options = {
    host: '127.0.0.1',
    port,
    ca,
    method,
    path,
    headers,
    agent: false,
    ...certificate,
  } as const;
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.on('error', reject);
    call.end();
  });
}

async function tokenOf(name: string): Promise<string> {
  const transport = server.transport();
  const headers = { 'content-type': 'application/json' };
  const path = '/api/v1/namespaces/default/serviceaccounts';
  await transport.request({ method: 'POST', path, headers, body: JSON.stringify({ metadata: { name } }) });
  const response = await transport.request({
    method: 'POST',
    path: `${path}/${name}/token`,
    headers,
    body: '{}',
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return (JSON.parse(Buffer.concat(chunks).toString()) as { status: { token: string } }).status.token;
}

const bearer = (token: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${token}` },
});
const CHECKPOINT = '/checkpoint/default/web/main';

test('nobody is answered who does not say who he is', async () => {
  for (const path of ['/healthz', '/pods', '/containerLogs/default/web/main', '/absent'])
    expect(await ask('GET', path)).toEqual({ status: 401, text: 'Unauthorized' });
  expect(await ask('POST', CHECKPOINT, bearer('guessed'))).toEqual({ status: 401, text: 'Unauthorized' });
});

test('a certificate that the API server’s clients have is known, another one is not', async () => {
  const admin = await server.issueClientCertificate({ username: 'root', groups: ['system:masters'] });
  expect((await ask('GET', '/containerLogs/default/web/main', admin)).text).toContain('started from web:1');
  const guest = await server.issueClientCertificate({ username: 'guest' });
  expect(await ask('GET', '/containerLogs/default/web/main', guest)).toEqual({
    status: 403,
    text: 'Forbidden (user=guest, verb=get, resource=nodes, subresource(s)=[proxy])\n',
  });
  const other = createApiServer();
  const stranger = await other.issueClientCertificate({ username: 'root', groups: ['system:masters'] });
  expect((await ask('GET', '/healthz', stranger)).status).toBe(401);
  await other.close();
});

test('an account may do what it has the right to, on the node for which it has it', async () => {
  const token = bearer(await tokenOf('agent'));
  expect((await ask('POST', CHECKPOINT, token)).status).toBe(403);
  const client = createClient(server.transport());
  const metadata = { name: 'agent' };
  await client.create(rbacv1.clusterroles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata,
    rules: [{ apiGroups: [''], resources: ['nodes/checkpoint'], resourceNames: ['a'], verbs: ['create'] }],
  });
  await client.create(rbacv1.clusterrolebindings, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'agent' },
    subjects: [{ kind: 'ServiceAccount', name: 'agent', namespace: 'default' }],
  });
  expect((await ask('POST', CHECKPOINT, token)).status).toBe(200);
  expect((await ask('GET', '/containerLogs/default/web/main', token)).status).toBe(403);
});

test('where one server serves many, requests for a whole node say which', async () => {
  const admin = await server.issueClientCertificate({ username: 'root', groups: ['system:masters'] });
  expect((await ask('GET', '/pods', admin)).status).toBe(404);
  const podsOf = async (node: string): Promise<number> => {
    const headers = { 'x-forwarded-uri': `/api/v1/nodes/${node}/proxy/pods` };
    const { text } = await ask('GET', '/pods', { ...admin, headers });
    return (JSON.parse(text) as { items: unknown[] }).items.length;
  };
  expect([await podsOf('a'), await podsOf('b')]).toEqual([1, 0]);
});

test('the API server is known by its certificate', async () => {
  const path = '/api/v1/namespaces/default/pods/web/log';
  const response = await server.transport().request({ method: 'GET', path, headers: {} });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('main: started from web:1, attempt 0\n');
});
