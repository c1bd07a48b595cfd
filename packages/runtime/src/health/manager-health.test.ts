import { createClient, createManualClock } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { expect, it, vi } from 'vitest';
import { watchKind } from '../controller/source.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { createManager } from '../manager/create-manager.ts';
import { RuntimeError } from '../runtime-error.ts';
import { fakeApi } from '../testing/fake-api.ts';
import { configMap } from '../testing/objects.ts';
import { createHealthServer } from './create-health-server.ts';

it('names objects that fail again and again, and is ready all the same, until they succeed', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `m${i}`);
  const api = fakeApi(names.map((name, i) => configMap(name, String(i))));
  const clock = createManualClock();
  const manager = createManager({ client: createClient(api), clock, random: () => 0.5, log: silentLogger });
  const broken = new Set(names);
  manager.addController({
    name: 'copies',
    backoff: { baseMs: 1, maxMs: 1 },
    sources: [watchKind(corev1.configmaps)],
    reconciler: {
      async reconcile({ name }) {
        if (broken.has(name)) throw new RuntimeError('TimedOut', `no copy of ${name}`);
        return {};
      },
    },
  });
  let open: (port: number) => void = () => undefined;
  const listening = new Promise<number>((resolve) => (open = resolve));
  manager.add(createHealthServer(manager, { port: 0, host: '127.0.0.1', onListening: (p) => open(p) }));
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(3);
  expect(manager.health()).toMatchObject({ ready: true, degraded: [] });
  await clock.advance(1);
  const { live, ready, reasons, degraded } = manager.health();
  expect({ live, ready, reasons }).toEqual({ live: true, ready: true, reasons: [] });
  expect(degraded).toHaveLength(11);
  expect(degraded[0]).toBe('controller copies: ns/m0 failed 5 times in a row: no copy of m0');
  expect(degraded[10]).toBe('and 2 more objects');
  const probe = await fetch(`http://127.0.0.1:${await listening}/readyz`);
  expect([probe.status, (await probe.text()).split('\n').slice(0, 2)]).toEqual([
    200,
    ['ok', `degraded: ${degraded[0]}`],
  ]);
  broken.clear();
  await clock.advance(1);
  expect(manager.health().degraded).toEqual([]);
  stop.abort();
  await running;
});

it('says at once which right the account of a cache lacks, in health and in the log', async () => {
  const lines: string[] = [];
  const log: Logger = { ...silentLogger, warn: (message) => void lines.push(message) };
  const lacks =
    'pods is forbidden: User "system:serviceaccount:ns:poor" cannot list resource "pods" in API group "" at the cluster scope';
  const status = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: lacks };
  const client = createClient({
    async request() {
      const body = (async function* chunks() {
        yield Buffer.from(JSON.stringify(status));
      })();
      return { status: 403, headers: { 'content-type': 'application/json' }, body };
    },
    close: () => Promise.resolve(),
  });
  const clock = createManualClock();
  const manager = createManager({ client, clock, random: () => 0.5, log });
  const reconciler = { reconcile: async () => ({}) };
  manager.addController({ name: 'pods', sources: [watchKind(corev1.pods)], reconciler });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await vi.waitFor(() =>
    expect(manager.health()).toMatchObject({ ready: false, reasons: [`v1 Pod: forbidden: ${lacks}`] }),
  );
  expect(lines).toEqual([`watch of v1 Pod failed, listing again for want of a right: ${lacks}`]);
  stop.abort();
  await clock.advance(0);
  await running;
});

it('stays ready while a kind that an object has named is listed, and when it may not be', async () => {
  const lacks = 'secrets is forbidden: User "poor" cannot list resource "secrets" in API group ""';
  const api = fakeApi([]);
  let respond: () => void = () => undefined;
  const listed = new Promise<void>((resolve) => (respond = resolve));
  const client = createClient({
    async request(call) {
      if (!call.path.includes('/secrets')) return api.request(call);
      await listed;
      const status = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: lacks };
      const body = (async function* chunks() {
        yield Buffer.from(JSON.stringify(status));
      })();
      return { status: 403, headers: { 'content-type': 'application/json' }, body };
    },
    close: () => Promise.resolve(),
  });
  const clock = createManualClock();
  const manager = createManager({ client, clock, random: () => 0.5, log: silentLogger });
  manager.cache.informer(corev1.configmaps);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(1);
  expect(manager.health()).toMatchObject({ ready: true, reasons: [] });
  manager.cache.informer(corev1.secrets, { isOnDemand: true });
  await clock.advance(1);
  expect(manager.health()).toMatchObject({ ready: true, reasons: [], degraded: [] });
  respond();
  await clock.advance(1);
  const { ready, reasons, degraded } = manager.health();
  expect({ ready, reasons }).toEqual({ ready: true, reasons: [] });
  expect(degraded).toEqual([`v1 Secret: forbidden: ${lacks}`]);
  stop.abort();
  await running;
});
