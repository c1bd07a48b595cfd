import type { ApiResponse } from '@kubewright/kube';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { makeCertificates } from '../http/serving-certificates.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../api-server.ts';
import type { UpstreamCall, UpstreamTransport } from './upstream-transport.ts';
import { isGlobalUnicast } from './is-global-unicast.ts';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function serve(options: ApiServerOptions): ApiServer {
  const server = createApiServer(options);
  ended.push(() => server.close());
  return server;
}

async function textOf({ status, body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return `${status} ${Buffer.concat(chunks).toString()}`;
}

async function request(
  server: ApiServer,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<string> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await server
    .transport()
    .request({ method, path, headers: { 'content-type': type }, ...sent });
  return await textOf(response);
}

/** A node, and a pod on it. */
async function populate(
  server: ApiServer,
  address: { type: string; address: string },
  port: number,
): Promise<void> {
  await request(server, 'POST', '/api/v1/nodes', { metadata: { name: 'n' } });
  const status = { addresses: [address], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await request(server, 'PATCH', '/api/v1/nodes/n/status', { status });
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'image' }] };
  await request(server, 'POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
}

test('whoever carries requests to kubelets learns which node is meant', async () => {
  const calls: UpstreamCall[] = [];
  const transport: UpstreamTransport = {
    async call(call) {
      calls.push(call);
      return {
        status: 200,
        headers: {},
        body: (async function* () {
          yield Buffer.from(`asked ${call.path}`);
        })(),
      };
    },
    addressesOf: async () => ['10.1.2.3'],
    close() {},
  };
  const server = serve({ upstreamTransport: transport });
  await populate(server, { type: 'Hostname', address: 'n.example' }, 0);
  expect(await request(server, 'GET', '/api/v1/namespaces/default/pods/p/log')).toBe(
    '200 asked /containerLogs/default/p/c',
  );
  expect(await request(server, 'GET', '/api/v1/nodes/n/proxy/pods')).toBe('200 asked /pods');
  expect(await request(server, 'GET', '/api/v1/nodes/http:n:80/proxy/')).toBe('200 asked /');
  expect(calls.map(({ kubeletOf, scheme, address }) => ({ kubeletOf, scheme, ...address }))).toEqual([
    { kubeletOf: 'n', scheme: 'https', host: 'n.example', port: 10250 },
    { kubeletOf: 'n', scheme: 'https', host: 'n.example', port: 10250 },
    { kubeletOf: undefined, scheme: 'http', host: 'n.example', port: 80 },
  ]);
});

test('a kubelet that shows the certificate of another authority is asked for logs only by who insists', async () => {
  const [own, other] = await Promise.all([
    makeCertificates(new Date(), []),
    makeCertificates(new Date(), []),
  ]);
  const kubelet = createServer(own, (_, response) => response.end('hello'));
  await new Promise<void>((resolve) => {
    kubelet.listen(0, '127.0.0.1', resolve);
  });
  ended.push(() => kubelet.close());
  const { port } = kubelet.address() as AddressInfo;
  const logs = '/api/v1/namespaces/default/pods/p/log';
  const address = { type: 'InternalIP', address: '127.0.0.1' };

  const trusting = serve({ kubelets: { certificateAuthority: own.ca } });
  await populate(trusting, address, port);
  expect(await request(trusting, 'GET', logs)).toBe('200 hello');

  const wary = serve({ kubelets: { certificateAuthority: other.ca } });
  await populate(wary, address, port);
  expect(await request(wary, 'GET', logs)).toContain(
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  );
  expect(await request(wary, 'GET', `${logs}?insecureSkipTLSVerifyBackend=true`)).toBe('200 hello');
});

test.each([
  ['10.0.0.1', true],
  ['fd00::1', true],
  ['127.9.9.9', false],
  ['169.254.169.254', false],
  ['224.0.0.1', false],
  ['0.0.0.0', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['fe80::1', false],
  ['', false],
])('%s is a place to send requests on to: %s', (address, expected) => {
  expect(isGlobalUnicast(address)).toBe(expected);
});
