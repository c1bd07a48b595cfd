import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Json, JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { at, textAt } from './support/at.ts';
import { boxDefinition, convertBoxes } from './support/boxes.ts';
import { issueCertificate, makeAuthority, makeSelfSigned } from './support/certificates.ts';
import { type Child, startChild } from './support/child.ts';
import { freePort } from './support/free-port.ts';
import { type HttpsAnswer, httpsCall, type ShownIdentity } from './support/https-call.ts';
import { KUBEWRIGHT } from './support/kubewright-command.ts';
import { openWebSocket } from './support/web-socket-client.ts';
import { patchOf, startWebhookServer, type WebhookServer } from './support/webhook-server.ts';

const isBuilt = existsSync(new URL('../packages/kubewright/dist/bundle/main.js', import.meta.url));
const title = "kubewright envtest stands in for the programs that others' suites start";
const START_MS = 60_000;
const PODS = '/api/v1/namespaces/default/pods';
const ROBOT = '/api/v1/namespaces/default/serviceaccounts/robot';
const GROUP = 'envtest.example.com';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

describe.skipIf(!isBuilt)(isBuilt ? title : `${title} [needs npm run build]`, () => {
  let folder: string;
  let assets: string;
  const started: Child[] = [];

  const start = (name: string, args: readonly string[]): Child => {
    const child = startChild(join(assets, name), args, join(folder, `${name}-${started.length}.log`), folder);
    started.push(child);
    return child;
  };
  /** What envtest asks for before it starts anything: the exit code must be 0. */
  const helpOf = (name: string): string =>
    execFileSync(join(assets, name), ['--help'], { encoding: 'utf8', stdio: 'pipe' });
  const fileOf = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-envtest-'));
    const printed = execFileSync(process.execPath, [...KUBEWRIGHT, 'envtest', '--directory', 'assets'], {
      cwd: folder,
      encoding: 'utf8',
    });
    assets = printed.trimEnd();
  });
  afterAll(async () => {
    await Promise.all(started.map((child) => child.stop()));
    rmSync(folder, { recursive: true });
  });

  test('prints the folder with the programs, and nothing else', () => {
    expect(assets).toBe(join(folder, 'assets'));
    expect(readdirSync(assets).toSorted()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
  });

  test('the help of each program lists its flags at the beginning of lines, where envtest looks for them', () => {
    expect(helpOf('etcd')).toMatch(/^\s*--unsafe-no-fsync\b/m);
    expect(helpOf('kube-apiserver')).toMatch(/^\s*--service-account-issuer\b/m);
    // envtest passes --insecure-port to servers that have it.
    expect(helpOf('kube-apiserver')).not.toMatch(/^\s*--insecure-port\b/m);
  });

  test('a flag that the real program does not have ends it with an error that names the flag', async () => {
    const child = start('kube-apiserver', ['--insecure-port=0']);
    await child.ended;
    expect(child.tail()).toContain('unknown flag: --insecure-port');
  });

  test('kubectl is the one of the machine, and where there is none, that is said', () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'kubectl'), '#!/bin/sh\necho "own $*"\n', { mode: 0o755 });
    const run = (...path: string[]): string =>
      execFileSync(join(assets, 'kubectl'), ['get', 'pods'], {
        encoding: 'utf8',
        stdio: 'pipe',
        env: { PATH: path.join(delimiter) },
      });
    expect(run(assets, own)).toBe('own get pods\n');
    expect(() => run(assets)).toThrow('kubectl: not found in PATH; install it first');
  });

  describe('etcd', () => {
    test('is healthy on its client URL, leaves no data, and ends on SIGTERM', async () => {
      const [client, peer, data] = [await freePort(), await freePort(), join(folder, 'etcd-data')];
      mkdirSync(data);
      const url = `http://127.0.0.1:${client}`;
      const etcd = start('etcd', [
        `--advertise-client-urls=${url}`,
        `--data-dir=${data}`,
        `--listen-client-urls=${url}`,
        `--listen-peer-urls=http://127.0.0.1:${peer}`,
        '--unsafe-no-fsync=true',
      ]);
      const health = await vi.waitFor(() => fetch(`${url}/health`), { timeout: START_MS });
      expect([health.status, await health.json()]).toEqual([200, { health: 'true', reason: '' }]);
      await etcd.stop();
      expect(readdirSync(data)).toEqual([]);
      await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
    });

    test('takes flags whose value is the next argument', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const etcd = start('etcd', [
        '--data-dir',
        'data',
        '--listen-peer-urls',
        'http://0.0.0.0:0',
        '--advertise-client-urls',
        url,
        '--listen-client-urls',
        url,
        '--snapshot-count',
        '5',
        '--unsafe-no-fsync',
      ]);
      await vi.waitFor(() => fetch(`${url}/health`), { timeout: START_MS });
      await etcd.stop();
    });
  });

  describe('kube-apiserver, with the flags and certificates of envtest', () => {
    let server: Child;
    let place: { readonly url: string; readonly caCert: string };
    let admin: ShownIdentity;
    let webhooks: WebhookServer;
    let certificates: string;

    const send = (method: string, path: string, body?: Json, who = admin): Promise<HttpsAnswer> =>
      httpsCall(place, method, path, who, body);

    beforeAll(async () => {
      certificates = join(folder, 'certificates');
      mkdirSync(certificates);
      const [serving, clients, accounts] = [
        await makeAuthority('serving'),
        await makeAuthority('clients'),
        await makeAuthority('accounts'),
      ];
      const own = await issueCertificate(serving, { subject: [{ CN: ['localhost'] }], usage: 'server' });
      fileOf('certificates/apiserver.crt', own.cert);
      fileOf('certificates/apiserver.key', own.key);
      const subject = [{ O: ['system:masters'] }, { CN: ['default'] }];
      admin = { certificate: await issueCertificate(clients, { subject, usage: 'client' }) };
      const port = await freePort();
      place = { url: `https://127.0.0.1:${port}`, caCert: serving.cert };
      server = start('kube-apiserver', [
        '--allow-privileged=true',
        '--authorization-mode=RBAC',
        '--bind-address=127.0.0.1',
        `--cert-dir=${certificates}`,
        `--client-ca-file=${fileOf('certificates/client-cert-auth-ca.crt', clients.cert)}`,
        '--disable-admission-plugins=ServiceAccount',
        '--etcd-servers=http://127.0.0.1:1',
        `--secure-port=${port}`,
        '--service-account-issuer=https://127.0.0.1/',
        `--service-account-key-file=${fileOf('certificates/sa-signer.crt', accounts.cert)}`,
        `--service-account-signing-key-file=${fileOf('certificates/sa-signer.key', accounts.key)}`,
        '--service-cluster-ip-range=10.0.0.0/24',
      ]);
      await vi.waitFor(() => send('GET', '/healthz', undefined, {}), { timeout: START_MS });
      webhooks = await startWebhookServer();
    }, START_MS);
    afterAll(async () => {
      await webhooks.stop();
    });

    test('says to anybody that it is ready', async () => {
      for (const path of ['/healthz', '/readyz', '/livez']) {
        const { status, text } = await send('GET', path, undefined, {});
        expect([path, status, text]).toEqual([path, 200, 'ok']);
      }
    });

    test('the holder of a certificate of the client CA is an admin, others are not', async () => {
      expect((await send('GET', '/api/v1/namespaces')).status).toBe(200);
      expect((await send('GET', '/api/v1/namespaces', undefined, {})).status).toBe(403);
    });

    test('signs tokens of service accounts with the key, in the name of the issuer', async () => {
      await send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
      const token = textAt((await send('POST', `${ROBOT}/token`, { spec: {} })).body, 'status', 'token');
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
      expect(claims['iss']).toBe('https://127.0.0.1/');
      const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const { body } = await send('POST', review, {}, { token });
      expect(at(body, 'status', 'userInfo', 'username')).toBe('system:serviceaccount:default:robot');
    });

    test('calls a webhook whose caBundle is its own certificate, and whose path begins with two slashes', async () => {
      const { path } = webhooks.answer(() =>
        patchOf([{ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } }]),
      );
      const clientConfig = {
        url: `https://127.0.0.1:${webhooks.port}/${path}`,
        caBundle: webhooks.ownBundle,
      };
      const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
      const webhook = {
        name: 'pods.example.com',
        clientConfig,
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      };
      await send('POST', HOOKS, { metadata: { name: 'pods' }, webhooks: [webhook] });
      const spec = { containers: [{ name: 'main', image: 'nginx' }] };
      const { body } = await send('POST', PODS, { metadata: { generateName: 'web-' }, spec });
      expect(at(body, 'metadata', 'labels')).toEqual({ seen: 'yes' });
    });

    test('converts custom resources by a webhook', async () => {
      const { path } = webhooks.answer(convertBoxes);
      const clientConfig = {
        url: `https://127.0.0.1:${webhooks.port}${path}`,
        caBundle: webhooks.ownBundle,
      };
      const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
      expect((await send('POST', CRDS, boxDefinition(GROUP, { strategy: 'Webhook', webhook }))).status).toBe(
        201,
      );
      const boxes = (version: string): string => `/apis/${GROUP}/${version}/namespaces/default/boxes`;
      const box = {
        apiVersion: `${GROUP}/v2`,
        kind: 'Box',
        metadata: { name: 'small' },
        width: 1,
        height: 2,
      };
      expect((await send('POST', boxes('v2'), box)).status).toBe(201);
      expect((await send('GET', `${boxes('v1')}/small`)).body).toMatchObject({ size: '1x2' });
    });

    test('a watch that a client of Java opens is a WebSocket', async () => {
      const path = `${PODS}?watch=true&resourceVersion=0&timeoutSeconds=1`;
      const token = textAt((await send('POST', `${ROBOT}/token`, { spec: {} })).body, 'status', 'token');
      const rejected = await openWebSocket(place, path, { authorization: `Bearer ${token}` });
      expect(rejected.status).toBe(403);
      const subject = { kind: 'ServiceAccount', name: 'robot', namespace: 'default' };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
      const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
      await send('POST', bindings, { metadata: { name: 'robot' }, subjects: [subject], roleRef });
      const socket = await openWebSocket(place, path, { authorization: `Bearer ${token}` });
      expect(socket.status).toBe(101);
      const event = await socket.next();
      expect(JSON.parse(event?.payload.toString() ?? '')).toMatchObject({
        type: 'ADDED',
        object: { kind: 'Pod' },
      });
      socket.close();
    });

    test('ends on SIGTERM while a watch is open, and leaves nothing behind', async () => {
      const before = readdirSync(certificates).toSorted();
      const watching = send('GET', `${PODS}?watch=true`).then(
        () => 'ended',
        () => 'ended',
      );
      await server.stop();
      expect(await watching).toBe('ended');
      expect(readdirSync(certificates).toSorted()).toEqual(before);
    });
  });

  describe('kube-apiserver, with flags whose value is the next argument', () => {
    const run = async (
      args: readonly string[],
    ): Promise<{ readonly url: string; readonly server: Child }> => {
      const server = start('kube-apiserver', [...args, '--secure-port', '0']);
      const url = await vi.waitFor(
        () => {
          const [, found] = server.tail().match(/serving on (\S+)\n$/) ?? [];
          assert(found !== undefined, server.tail());
          return found;
        },
        { timeout: START_MS },
      );
      return { url, server };
    };

    test('trusts a client whose own certificate, that it signed itself, is the client CA', async () => {
      const client = await makeSelfSigned('CN=default, O=system:masters');
      const data = join(folder, 'alone');
      const { url, server } = await run([
        '--cert-dir',
        data,
        '--client-ca-file',
        fileOf('alone.crt', client.cert),
        '--authorization-mode',
        'RBAC',
        '--etcd-servers',
        'http://127.0.0.1:1',
        '--feature-gates',
        'WatchList=true',
        '--allow-privileged',
      ]);
      const caCert = readFileSync(join(data, 'apiserver.crt'), 'utf8');
      const { status } = await httpsCall({ url, caCert }, 'GET', '/api/v1/nodes', { certificate: client });
      expect(status).toBe(200);
      await server.stop();
    });

    test('gives Services addresses and node ports of the ranges that flags name, and no others', async () => {
      const { url, server } = await run([
        '--cert-dir',
        join(folder, 'ranges'),
        '--service-cluster-ip-range',
        '10.1.2.0/29,fd00::/108',
        '--service-node-port-range',
        '20000-20001',
      ]);
      const caCert = readFileSync(join(folder, 'ranges', 'apiserver.crt'), 'utf8');
      const services = '/api/v1/namespaces/default/services';
      const kubernetes = await httpsCall({ url, caCert }, 'GET', `${services}/kubernetes`, {});
      expect(textAt(kubernetes.body, 'spec', 'clusterIP')).toBe('10.1.2.1');
      const create = async (name: string, spec: JsonObject): Promise<JsonObject> => {
        const object = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
        return (await httpsCall({ url, caCert }, 'POST', services, {}, object)).body;
      };
      expect(await create('outside', { clusterIP: '10.1.2.7' })).toMatchObject({
        code: 422,
        message:
          'Service "outside" is invalid: spec.clusterIPs: Invalid value: ["10.1.2.7"]: ' +
          'failed to allocate IP 10.1.2.7: the provided network does not match the current range',
      });
      expect(
        await create('port', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_000 }] }),
      ).toMatchObject({
        message:
          'Service "port" is invalid: spec.ports[0].nodePort: Invalid value: 30000: ' +
          'provided port is not in the valid range. The range of valid ports is 20000-20001',
      });
      const given: string[] = [];
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        given.push(textAt(await create(name, {}), 'spec', 'clusterIP'));
      expect(given.toSorted()).toEqual([2, 3, 4, 5, 6].map((host) => `10.1.2.${host}`));
      expect(await create('f', {})).toMatchObject({
        code: 500,
        message: 'Internal error occurred: failed to allocate a serviceIP for Service "f": range is full',
      });
      await server.stop();
    });

    test.each([
      [
        '--service-cluster-ip-range',
        'fd00::/108',
        'choose an IPv4 network of /8 to /30, such as 10.0.0.0/24',
      ],
      ['--service-node-port-range', '3-2', 'choose two ports up to 65535, such as 30000-32767'],
    ])('ends with an error where %s is %s', async (flag, value, advice) => {
      const child = start('kube-apiserver', ['--secure-port', '0', flag, value]);
      await child.ended;
      expect(child.tail()).toContain(advice);
    });

    test('leaves its certificate with its key in the folder of certificates, where clients look for it', async () => {
      const data = join(folder, 'made');
      const { server } = await run(['--cert-dir', data]);
      const cert = new X509Certificate(readFileSync(join(data, 'apiserver.crt')));
      expect(cert.checkIP('127.0.0.1')).toBe('127.0.0.1');
      expect(cert.checkPrivateKey(createPrivateKey(readFileSync(join(data, 'apiserver.key'))))).toBe(true);
      await server.stop();
    });
  });
});
