import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { apiextensionsv1, corev1 } from '@kubewright/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { createManager } from './create-manager.ts';

const log = silentLogger;
const metadata = { namespace: 'default', name: 'a' };
const map: corev1.ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-access-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('names the program in what is written', async () => {
  const transport = createApiServer().transport();
  const manager = createManager({ name: 'site-operator', transport, log });
  await manager.client.create(corev1.configmaps, map);
  const stored = await createClient(transport).get(corev1.configmaps, metadata);
  expect(stored.metadata.managedFields?.map((entry) => entry.manager)).toEqual(['site-operator']);
});

it('does not start without a server, and says where it looked', async () => {
  const kubeconfig = join(folder, 'none');
  const manager = createManager({ name: 'site-operator', kubeconfig, election: true, log });
  const started = manager.start(new AbortController().signal);
  await expect(started).rejects.toMatchObject({ reason: 'InvalidConfig' });
  await expect(started).rejects.toThrow(kubeconfig);
  expect(manager.health()).toMatchObject({ ready: false, reasons: ['not started'] });
});

it('does not start where the server does not answer, and names it', async () => {
  const kubeconfig = join(folder, 'closed-port');
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:9' } }],
    contexts: [{ name: 'c', context: { cluster: 'c' } }],
    'current-context': 'c',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const definitions = [{ ...apiextensionsv1.customresourcedefinitions, metadata: { name: 'x' } }].map(
    ({ metadata }) => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata }),
  );
  const manager = createManager({ name: 'site-operator', kubeconfig, definitions, log });
  const started = manager.start(new AbortController().signal);
  await expect(started).rejects.toMatchObject({ reason: 'ConnectionFailed' });
  await expect(started).rejects.toThrow('127.0.0.1:9');
});

it('stops quietly when it is stopped before it has begun', async () => {
  const transport = { request: () => new Promise<never>(() => undefined), close: async () => undefined };
  const manager = createManager({ name: 'site-operator', transport, log });
  await manager.start(AbortSignal.abort());
  expect(() => manager.webhookServer()).toThrow('give createManager the option `webhooks`');
});
