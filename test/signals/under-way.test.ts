import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createTransport, findContext, type Client } from '@kubewright/client';
import {
  admissionregistrationv1,
  coordinationv1,
  corev1,
  type KubeObject,
  type Transport,
} from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { S3_ENV } from '../../packages/operators/src/capture/testing/s3-server.ts';
import { type SignalledCommand, startSignalled } from './signalled-command.ts';
import { silentSocket } from './silent-peer.ts';

const IMAGE = 'registry.example/forever:v1';
/** Runs until it is killed, and holds more than its memory. */
const WORKER = `
import { createServer } from 'node:net';
createServer().listen(0, '127.0.0.1');
setInterval(() => console.log('still there'), 10);
process.on('SIGTERM', () => console.log('not yet'));
`;
const SERVER = ['--port', '0', '--kubeconfig-out', 'kubeconfig'];

let folder: string;
let cleanUp: (() => Promise<unknown>)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-signals-'));
  writeFileSync(join(folder, 'forever.mjs'), WORKER);
  cleanUp = [];
});
afterEach(async () => {
  for (const clean of cleanUp.toReversed()) await clean();
  rmSync(folder, { recursive: true });
});

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): SignalledCommand {
  const command = startSignalled(args, { cwd: folder, env });
  cleanUp.push(async () => {
    command.signal('SIGKILL');
    await command.ended.code;
  });
  return command;
}

/** It ends by itself, with this code and nothing left open. */
async function endsWith(command: SignalledCommand, code: number, signal: 'SIGINT' | 'SIGTERM' = 'SIGINT') {
  command.signal(signal);
  expect(await command.ended.code, command.err).toBe(code);
  expect(command.err).not.toMatch(/still open/);
}

async function connect(): Promise<{ readonly client: Client; readonly transport: Transport }> {
  const { options } = await findContext({ kubeconfig: join(folder, 'kubeconfig') });
  const transport = createTransport(options);
  cleanUp.push(() => transport.close());
  return { client: createClient(transport, { fieldOwner: 'test' }), transport };
}

/** A pod whose container is a worker that does not end by itself; resolves when it runs. */
async function runForever(client: Client): Promise<void> {
  const key = { namespace: 'default', name: 'forever' };
  await client.create(corev1.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: key,
    spec: { containers: [{ name: 'main', image: IMAGE }] },
  });
  await expect
    .poll(async () => (await client.get(corev1.pods, key)).status?.containerStatuses?.[0]?.ready)
    .toBe(true);
}

/** A log that is followed, and a watch; both are open when it resolves. */
async function follow(client: Client, transport: Transport): Promise<void> {
  const path = '/api/v1/namespaces/default/pods/forever/log?follow=true';
  const { body } = await transport.request({ method: 'GET', path, headers: {} });
  for await (const _chunk of { [Symbol.asyncIterator]: () => body[Symbol.asyncIterator]() }) break;
  await new Promise<void>((resolve) => {
    const options = { namespace: 'default', onOpen: resolve };
    const events = client.watch(corev1.pods, options);
    void (async () => {
      for await (const _event of events);
    })().catch(() => undefined);
  });
}

describe('with containers that run, a log that is followed and a watch', () => {
  test.each([
    ['cluster', 'SIGINT'],
    ['cluster', 'SIGTERM'],
    ['up', 'SIGINT'],
    ['up', 'SIGTERM'],
  ] as const)('%s ends at the first %s', async (name, signal) => {
    const more = name === 'up' ? ['--no-demo'] : [];
    const command = start([name, ...SERVER, ...more, '--image', `${IMAGE}=forever.mjs`]);
    await command.printed(/^ready$/m);
    const { client, transport } = await connect();
    await runForever(client);
    await follow(client, transport);
    await endsWith(command, 0, signal);
    expect(readdirSync(folder)).toEqual(['forever.mjs']);
  });

  test('apiserver ends while its client watches', async () => {
    const command = start(['apiserver', ...SERVER]);
    await command.printed(/^ready$/m);
    const { client } = await connect();
    await new Promise<void>((resolve) => {
      void (async () => {
        for await (const _event of client.watch(corev1.pods, { onOpen: resolve }));
      })().catch(() => undefined);
    });
    await endsWith(command, 0);
  });
});

describe('a webhook that never responds', () => {
  test('does not keep a cluster whose controllers wait for it', async () => {
    const peer = await silentSocket();
    cleanUp.push(() => peer.close());
    const command = start(['cluster', ...SERVER]);
    await command.printed(/^ready$/m);
    const { client } = await connect();
    const arrived = peer.arrival();
    await client.create(admissionregistrationv1.validatingwebhookconfigurations, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'silent' },
      webhooks: [
        {
          name: 'silent.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          timeoutSeconds: 30,
          clientConfig: { url: `https://127.0.0.1:${peer.port}/` },
          rules: [
            {
              apiGroups: [''],
              apiVersions: ['v1'],
              resources: ['serviceaccounts'],
              operations: ['CREATE'],
              scope: '*',
            },
          ],
        },
      ],
    });
    await client.create<KubeObject>(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop' },
    });
    await arrived;
    await endsWith(command, 0);
  });
});

describe('the manager', () => {
  test('ends while another one has the Lease', async () => {
    const cluster = start(['cluster', ...SERVER, '--nodes', '0']);
    await cluster.printed(/^ready$/m);
    const { client } = await connect();
    const now = new Date().toISOString().replace('Z', '000Z');
    await client.create(coordinationv1.leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'kube-system', name: 'kubewright' },
      spec: { holderIdentity: 'another', leaseDurationSeconds: 3600, acquireTime: now, renewTime: now },
    });
    await client.create<KubeObject>(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'kubewright' },
    });
    const manager = start(['manager', '--kubeconfig', 'kubeconfig', '--webhook-port', '0']);
    await manager.printed(/^ready$/m);
    await endsWith(manager, 0, 'SIGTERM');
  });
});

describe('an S3 server that never responds', () => {
  test.each(['capture verify s3://bucket/a', 'capture import s3://bucket/a'])(
    '%s ends at the first signal',
    async (line) => {
      const peer = await silentSocket();
      cleanUp.push(() => peer.close());
      const cluster = start(['apiserver', ...SERVER]);
      await cluster.printed(/^ready$/m);
      const arrived = peer.arrival();
      const env = { ...S3_ENV, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${peer.port}` };
      const command = start([...line.split(' '), '--kubeconfig', 'kubeconfig'], env);
      await arrived;
      await endsWith(command, 130);
      expect(command.err).toMatch(/^kubewright: interrupted; /);
    },
  );
});

test('a command that reads its standard input ends before that does', async () => {
  const command = start(['owners', '-f', '-', 'kind/name']);
  // More than a pipe holds: it reads.
  await command.feed('#'.repeat(1_000_000));
  await endsWith(command, 130);
});

test('a demo ends in the middle, and says so', async () => {
  const command = start(['demo', 'migration']);
  await command.printed(/^migration: /m);
  await endsWith(command, 130);
  expect(command.err).toMatch(/interrupted/);
});
