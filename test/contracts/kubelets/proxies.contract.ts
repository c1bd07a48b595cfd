import type { JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { call, PATCH } from '../../support/api.ts';
import { type FakeKubelet, OUTER_ADDRESS, startFakeKubelet } from '../../support/fake-kubelet.ts';
import { type HttpsAnswer, httpsCall, type ShownIdentity } from '../../support/https-call.ts';
import { namespaceFor } from '../rest/namespace-for.ts';
import { makeNode, podOn, removeNodes } from './nodes.ts';

const HOST = OUTER_ADDRESS ?? '';

/** `proxy` of nodes, pods and services: requests go to them as they are, and answers come back. */
export function proxiesContract(server: () => TestServer): void {
  const namespace = namespaceFor(server, 'proxies');
  const inNamespace = `/api/v1/namespaces/${namespace.name}`;
  let kubelet: FakeKubelet;

  beforeAll(async () => {
    kubelet = await startFakeKubelet();
    kubelet.on('/', (response, { url }) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'x-own': 'yes' }).end(`here is ${url}`),
    );
    kubelet.on('/refused', (response) =>
      response.writeHead(503, { 'content-type': 'text/plain' }).end('not now'),
    );
    kubelet.on('/moved', (response) => response.writeHead(302, { location: '/there?a=b' }).end());
    await makeNode(server(), 'proxy-node', { host: HOST, port: kubelet.port });
    await makeNode(server(), 'proxy-loop', { host: '127.0.0.1', port: kubelet.port });
    await makeNode(server(), 'proxy-dead', { host: HOST, port: 1 });
    await makeNode(server(), 'proxy-mute');
    await makeTargets();
  });
  afterAll(async () => {
    await call(server().transport(), 'DELETE', `${inNamespace}/pods/web?gracePeriodSeconds=0`);
    await call(server().transport(), 'DELETE', `${inNamespace}/services/web`);
    await call(server().transport(), 'DELETE', `${inNamespace}/endpoints/web`);
    await removeNodes(server(), ['proxy-node', 'proxy-loop', 'proxy-dead', 'proxy-mute']);
    await kubelet.close();
  });

  /** A pod at the address of the kubelet, which is good enough to be asked, and a service in front of it. */
  async function makeTargets(): Promise<void> {
    const admin = server().transport();
    const pod = podOn('web', 'proxy-node');
    const port = kubelet.port;
    const containers = [{ name: 'c', image: 'image', ports: [{ containerPort: port }] }];
    await call(admin, 'POST', `${inNamespace}/pods`, {
      ...pod,
      spec: { nodeName: 'proxy-node', containers },
    });
    await call(admin, 'POST', `${inNamespace}/pods`, podOn('nowhere', undefined));
    const status = { podIP: HOST, podIPs: [{ ip: HOST }], phase: 'Running' };
    await call(admin, 'PATCH', `${inNamespace}/pods/web/status`, { status }, PATCH.merge);
    const ports = [{ name: 'main', port: 443, targetPort: port }];
    for (const name of ['web', 'idle'])
      await call(admin, 'POST', `${inNamespace}/services`, { metadata: { name }, spec: { ports } });
    const targetRef = { kind: 'Pod', namespace: namespace.name, name: 'web' };
    await call(admin, 'POST', `${inNamespace}/endpoints`, {
      metadata: { name: 'web' },
      subsets: [{ addresses: [{ ip: HOST, targetRef }], ports: [{ name: 'main', port }] }],
    });
    await call(admin, 'POST', `${inNamespace}/endpoints`, { metadata: { name: 'idle' } });
  }

  const send = (
    method: string,
    path: string,
    shown: ShownIdentity = {},
    body?: JsonObject,
  ): Promise<HttpsAnswer> => {
    const { url, caCert, token } = server();
    return httpsCall({ url, caCert }, method, path, { token, ...shown }, body);
  };
  const ofNode = (path: string): string => `/api/v1/nodes/proxy-node/proxy${path}`;

  test('path, query, method, body and headers reach the kubelet, but nothing of who sent them', async () => {
    const headers = {
      'x-mine': 'yes',
      'x-remote-user': 'root',
      'impersonate-user': 'someone',
      'impersonate-group': 'system:masters',
      'content-type': 'text/mine',
    };
    const path = ofNode('/a/b%20c/?x=1&y=%2f&x=2');
    const { status, headers: answered, text } = await send('PUT', path, { headers }, { say: 'hello' });
    expect({ status, text, own: answered['x-own'] }).toEqual({
      status: 200,
      text: 'here is /a/b%20c/?x=1&y=%2f&x=2',
      own: 'yes',
    });
    const heard = kubelet.heard.at(-1);
    expect(heard).toMatchObject({
      method: 'PUT',
      url: '/a/b%20c/?x=1&y=%2f&x=2',
      body: '{"say":"hello"}',
      by: 'kube-apiserver-kubelet-client',
      headers: {
        'x-mine': 'yes',
        'content-type': 'text/mine',
        'x-forwarded-for': '127.0.0.1',
        host: new URL(server().url).host,
      },
    });
    for (const name of ['authorization', 'x-remote-user', 'impersonate-user', 'impersonate-group'])
      expect(heard?.headers).not.toHaveProperty(name);
  });

  test.each(['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('%s is passed on', async (method) => {
    const { status, text } = await send(method, ofNode('/x'));
    expect({ status, text }).toEqual({ status: 200, text: method === 'HEAD' ? '' : 'here is /x' });
    expect(kubelet.heard.at(-1)?.method).toBe(method);
  });

  test('the other end learns under which path it was asked', async () => {
    await send('GET', ofNode('/pods'));
    expect(kubelet.heard.at(-1)?.headers['x-forwarded-uri']).toBe('/api/v1/nodes/proxy-node/proxy/pods');
  });

  test('a refusal comes back as it is', async () => {
    const { status, text, headers } = await send('GET', ofNode('/refused'));
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: 503,
      text: 'not now',
      type: 'text/plain',
    });
  });

  test('a redirect leads through the proxy again', async () => {
    const { status, headers } = await send('GET', ofNode('/moved'));
    expect(status).toBe(302);
    expect(headers['location']).toBe(ofNode('/there?a=b'));
  });

  test('the bare path leads to the one with a slash', async () => {
    const { status, headers } = await send('GET', ofNode('?q=1'));
    expect(status).toBe(301);
    expect(headers['location']).toBe(ofNode('/?q=1'));
  });

  test('a node is named with its port, too', async () => {
    const { port } = kubelet;
    expect((await send('GET', `/api/v1/nodes/proxy-node:${port}/proxy/x`)).text).toBe('here is /x');
    expect((await send('GET', `/api/v1/nodes/https:proxy-node:${port}/proxy/x`)).text).toBe('here is /x');
    const { body } = await send('GET', '/api/v1/nodes/proxy-node:1/proxy/x');
    expect(body['message']).toBe(
      `error trying to reach service: dial tcp ${HOST}:1: connect: connection refused`,
    );
  });

  const refused = 'connect: connection refused';
  test.each([
    ['a node that is not there', 'nodes/absent', 404, 'NotFound', 'nodes "absent" not found'],
    [
      'a node without an address',
      'nodes/proxy-mute',
      500,
      undefined,
      'no preferred addresses found; known addresses: []',
    ],
    ['a node at the server’s own loopback', 'nodes/proxy-loop', 400, 'BadRequest', 'address not allowed'],
    [
      'a node whose kubelet is down',
      'nodes/proxy-dead',
      503,
      'ServiceUnavailable',
      `error trying to reach service: dial tcp ${HOST}:1: ${refused}`,
    ],
    [
      'a scheme that is none',
      'nodes/ftp:proxy-node:1',
      400,
      'BadRequest',
      'invalid node request "ftp:proxy-node:1"',
    ],
    ['a pod that is not there', 'pods/absent', 404, 'NotFound', 'pods "absent" not found'],
    ['a pod without an address', 'pods/nowhere', 400, 'BadRequest', 'address not allowed'],
    ['a service that is not there', 'services/absent', 404, 'NotFound', 'services "absent" not found'],
    [
      'a service without endpoints',
      'services/idle:main',
      503,
      'ServiceUnavailable',
      'no endpoints available for service "idle"',
    ],
    [
      'a port that the service has not',
      'services/web:99',
      503,
      'ServiceUnavailable',
      'no service port 99 found for service "web"',
    ],
    [
      'a port that the endpoints have not',
      'services/web:other',
      503,
      'ServiceUnavailable',
      'no endpoints available for service "web:other"',
    ],
  ])('%s is refused', async (_, what, code, reason, message) => {
    const path = what.startsWith('nodes/') ? `/api/v1/${what}` : `${inNamespace}/${what}`;
    const { body } = await send('GET', `${path}/proxy/x`);
    expect(body).toMatchObject({ kind: 'Status', code, message });
    expect(body['reason']).toBe(reason);
  });

  test('a dry run is refused', async () => {
    const { body } = await send('POST', `${ofNode('/x')}?dryRun=All`);
    expect(body).toMatchObject({ code: 400, message: 'dryRun is not supported' });
  });

  describe('a pod and a service', () => {
    test.each([['pods/https:web:PORT'], ['services/https:web:main'], ['services/https:web:443']])(
      'are asked as %s, by nobody whom they know',
      async (what) => {
        const path = `${inNamespace}/${what.replace('PORT', String(kubelet.port))}/proxy/x?y=z`;
        expect((await send('GET', path)).text).toBe('here is /x?y=z');
        expect(kubelet.heard.at(-1)?.by).toBe('');
      },
    );
  });

  test('who has no right to proxies is refused', async () => {
    const { body } = await call(server().transport('alice'), 'POST', ofNode('/checkpoint/a/b/c'));
    expect(body['message']).toBe(
      'nodes "proxy-node" is forbidden: User "alice" cannot create resource "nodes/proxy" in API group "" at the cluster scope',
    );
  });

  test('discovery tells of them', async () => {
    const { body } = await send('GET', '/api/v1');
    const resources = body['resources'] as readonly {
      name: string;
      kind: string;
      verbs: readonly string[];
    }[];
    const shown = (name: string): unknown => resources.find((one) => one.name === name);
    const proxy = { singularName: '', verbs: ['create', 'delete', 'get', 'patch', 'update'] };
    expect(shown('nodes/proxy')).toEqual({
      name: 'nodes/proxy',
      namespaced: false,
      kind: 'NodeProxyOptions',
      ...proxy,
    });
    expect(shown('pods/proxy')).toMatchObject({ kind: 'PodProxyOptions', ...proxy });
    expect(shown('services/proxy')).toMatchObject({ kind: 'ServiceProxyOptions', ...proxy });
    expect(shown('pods/log')).toMatchObject({ kind: 'Pod', verbs: ['get'] });
    expect(shown('pods/exec')).toMatchObject({ kind: 'PodExecOptions', verbs: ['create', 'get'] });
  });
}
