import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { createManager } from './create-manager.ts';

const log = silentLogger;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-access-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
  const metadata = { name: 'sites.example.com' };
  const definitions = [{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata }];
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
