import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '@kubewright/kube';
import type { TestServer } from '../../servers/test-server.ts';
import { call } from '../../support/api.ts';
import { type FakeKubelet, startFakeKubelet } from '../../support/fake-kubelet.ts';
import { type HttpsAnswer, httpsCall } from '../../support/https-call.ts';
import { namespaceFor } from '../rest/namespace-for.ts';
import { makeNode, podOn, removeNodes } from './nodes.ts';

const NODES = ['logs-node', 'logs-dead', 'logs-mute'];

/** `pods/NAME/log`: what becomes of the request, of the kubelet's answer, and of a kubelet that does not answer. */
export function podLogsContract(server: () => TestServer): void {
  const namespace = namespaceFor(server, 'pod-logs');
  const pods = `/api/v1/namespaces/${namespace.name}/pods`;
  let kubelet: FakeKubelet;

  beforeAll(async () => {
    kubelet = await startFakeKubelet();
    await makeNode(server(), 'logs-node', { host: '127.0.0.1', port: kubelet.port });
    await makeNode(server(), 'logs-dead', { host: '127.0.0.1', port: 1 });
    await makeNode(server(), 'logs-mute');
    const two = podOn('two', 'logs-node', ['c', 'd']);
    const spec = { ...(two['spec'] as JsonObject), initContainers: [{ name: 'i', image: 'image' }] };
    const made = [
      podOn('one', 'logs-node'),
      { ...two, spec },
      podOn('pending', undefined),
      podOn('dead', 'logs-dead'),
      podOn('mute', 'logs-mute'),
      podOn('lost', 'logs-absent'),
      ...['400', '403', '404', '405', '500', '503', '302'].map((code) => podOn(`says-${code}`, 'logs-node')),
    ];
    for (const pod of made) expect((await call(server().transport(), 'POST', pods, pod)).status).toBe(201);
    kubelet.on('/containerLogs/', (response, { url }) => response.end(`log of ${url}\n`));
    for (const code of [400, 403, 404, 405, 500, 503])
      kubelet.on(`/containerLogs/${namespace.name}/says-${code}/`, (response) =>
        response.writeHead(code, { 'content-type': 'text/plain' }).end(`says ${code}`),
      );
    kubelet.on(`/containerLogs/${namespace.name}/says-302/`, (response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    );
  });
  afterAll(async () => {
    for (const name of ['one', 'two', 'pending', 'dead', 'mute', 'lost'])
      await call(server().transport(), 'DELETE', `${pods}/${name}?gracePeriodSeconds=0`);
    await removeNodes(server(), NODES);
    await kubelet.close();
  });

  const get = (path: string): Promise<HttpsAnswer> => {
    const { url, caCert, token } = server();
    return httpsCall({ url, caCert }, 'GET', `${pods}/${path}`, { token });
  };

  test('the kubelet is asked for the only container, by a client that it can know', async () => {
    const { status, headers, text } = await get('one/log');
    expect({ status, type: headers['content-type'], text }).toEqual({
      status: 200,
      type: 'text/plain',
      text: `log of /containerLogs/${namespace.name}/one/c\n`,
    });
    expect(kubelet.heard.at(-1)).toMatchObject({ method: 'GET', by: 'kube-apiserver-kubelet-client' });
    expect(kubelet.heard.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    ['two/log?container=i', '/two/i'],
    ['two/log?container=d&timestamps=true', '/two/d?timestamps=true'],
    [
      'one/log?timestamps&tailLines=3&sinceSeconds=7&previous=1&limitBytes=5&follow=true',
      '/one/c?follow=true&limitBytes=5&previous=true&sinceSeconds=7&tailLines=3&timestamps=true',
    ],
    ['one/log?follow=false&previous=0&tailLines=0', '/one/c?tailLines=0'],
    ['one/log?sinceTime=2024-01-01T00:00:00Z', '/one/c?sinceTime=2024-01-01T00%3A00%3A00Z'],
    ['one/log?insecureSkipTLSVerifyBackend=true&unknown=1', '/one/c'],
  ])('%s asks for %s', async (asked, passed) => {
    expect((await get(asked)).text).toBe(`log of /containerLogs/${namespace.name}${passed}\n`);
  });

  test('lines come while the container writes them', async () => {
    let goOn = (): void => {};
    kubelet.on(`/containerLogs/${namespace.name}/one/c?follow`, (response) => {
      response.write('first\n');
      goOn = () => response.end('second\n');
    });
    const request = { method: 'GET', path: `${pods}/one/log?follow=true`, headers: {} } as const;
    const lines: string[] = [];
    for await (const chunk of (await server().transport().request(request)).body) {
      lines.push(Buffer.from(chunk).toString());
      if (lines.length === 1) goOn();
    }
    expect(lines).toEqual(['first\n', 'second\n']);
  });

  test('a reader who leaves is not waited for', async () => {
    let left = (): void => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    kubelet.on(`/containerLogs/${namespace.name}/one/c?follow`, (response) => {
      response.on('close', left);
      response.write('first\n');
    });
    const request = { method: 'GET', path: `${pods}/one/log?follow=true`, headers: {} } as const;
    for await (const _ of (await server().transport().request(request)).body) break;
    await gone;
  });

  test('a pod that no node runs has nothing to tell', async () => {
    const { status, text } = await get('pending/log');
    expect({ status, text }).toEqual({ status: 204, text: '' });
  });

  describe('is refused', () => {
    const choice = 'a container name must be specified for pod two, choose one of: [i c d]';
    const parse = (text: string): string => `strconv.ParseInt: parsing "${text}": invalid syntax`;
    test.each([
      ['where several containers could be meant', 'two/log', 400, 'BadRequest', choice],
      [
        'for a container that is not there',
        'two/log?container=z',
        400,
        'BadRequest',
        'container z is not valid for pod two',
      ],
      ['for a pod that is not there', 'absent/log', 404, 'NotFound', 'pods "absent" not found'],
      ['where the node is gone', 'lost/log', 404, 'NotFound', 'pods "logs-absent" not found'],
      [
        'where the node has no address',
        'mute/log',
        500,
        undefined,
        'no preferred addresses found; known addresses: []',
      ],
      ['for a number that is none', 'one/log?tailLines=x', 400, 'BadRequest', parse('x')],
      ['for an empty number', 'one/log?limitBytes=', 400, 'BadRequest', parse('')],
      [
        'for a time that is none',
        'one/log?sinceTime=x',
        400,
        'BadRequest',
        'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
      ],
      ['below a log', 'one/log/x', 404, 'NotFound', 'the server could not find the requested resource'],
    ])('%s', async (_, path, status, reason, message) => {
      const { body } = await get(path);
      expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code: status, message });
      expect(body['reason']).toBe(reason);
    });

    test('with every mistake in its options', async () => {
      const asked = 'tailLines=-1&limitBytes=0&sinceSeconds=0&sinceTime=2024-01-01T00:00:00Z&stream=Stdout';
      expect((await get(`one/log?${asked}`)).body).toMatchObject({
        code: 422,
        reason: 'Invalid',
        message:
          'PodLogOptions "one" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0, []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified, stream: Forbidden: may not be specified]',
      });
      expect((await get('one/log?sinceSeconds=0')).body['message']).toBe(
        'PodLogOptions "one" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0',
      );
    });

    test('by a kubelet that is not there', async () => {
      const where = `https://127.0.0.1:1/containerLogs/${namespace.name}/dead/c`;
      expect((await get('dead/log')).body).toMatchObject({
        code: 500,
        message: `Get "${where}": dial tcp 127.0.0.1:1: connect: connection refused`,
      });
    });

    test.each([
      [400, 'BadRequest', 'says 400'],
      [403, 'Forbidden', 'says 403 ( pods/log says-403)'],
      [404, 'NotFound', 'the server could not find the requested resource ( pods/log says-404)'],
      [
        405,
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource ( pods/log says-405)',
      ],
      [500, 'InternalError', 'Internal error occurred: says 500'],
      [
        503,
        'ServiceUnavailable',
        'the server is currently unable to handle the request ( pods/log says-503)',
      ],
    ])('by a kubelet that says %i', async (code, reason, message) => {
      expect((await get(`says-${code}/log`)).body).toMatchObject({ kind: 'Status', code, reason, message });
    });

    test('by a kubelet that sends it elsewhere', async () => {
      const { body } = await get('says-302/log');
      expect(body).toMatchObject({ code: 500, message: 'Get "/elsewhere": redirects forbidden' });
    });

    test('to who may read pods but not their logs', async () => {
      const path = `${pods}/one/log`;
      const { body } = await call(server().transport('alice'), 'GET', path);
      const where = `in API group "" in the namespace "${namespace.name}"`;
      expect(body['message']).toBe(
        `pods "one" is forbidden: User "alice" cannot get resource "pods/log" ${where}`,
      );
    });
  });

  test.each(['exec', 'attach', 'portforward'])('%s needs a connection in both directions', async (way) => {
    expect((await get(`one/${way}`)).body).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'Upgrade request required',
    });
  });
}
