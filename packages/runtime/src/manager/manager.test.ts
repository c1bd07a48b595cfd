import {
  createClient,
  createManualClock,
  type ManualClock,
  type ResourceRef,
  systemClock,
} from '@kubewright/client';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { type Logger, silentLogger } from '../log/logger.ts';
import { partOf } from '../cache/part-of.ts';
import { watchKind, watchOwned } from '../controller/source.ts';
import type { LeaderElection } from '../election/leader-election.ts';
import { measureRequests } from '../metrics/measure-requests.ts';
import { createHealthServer } from '../health/create-health-server.ts';
import { RuntimeError } from '../runtime-error.ts';
import { type FakeApi, fakeApi } from '../testing/fake-api.ts';
import { configMap } from '../testing/objects.ts';
import { createManager } from './create-manager.ts';
import type { Manager } from './manager.ts';

const configMaps: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

type SetUp = {
  readonly manager: Manager;
  readonly api: FakeApi;
  readonly clock: ManualClock;
  readonly seen: string[];
};

function setUp(api: FakeApi = fakeApi([configMap('a', '1')])): SetUp {
  const clock = createManualClock();
  const registry = new Registry();
  const transport = measureRequests(api, registry, 'test');
  const manager = createManager({
    client: createClient(transport),
    clock,
    random: () => 0.5,
    registry,
    log: silentLogger,
  });
  const seen: string[] = [];
  manager.addController({
    name: 'test',
    sources: [watchKind(configMaps), watchOwned(configMaps, { group: 'example.com', kind: 'Site' })],
    reconciler: {
      async reconcile({ namespace, name }) {
        seen.push(`${namespace}/${name}`);
        return {};
      },
    },
  });
  return { manager, api, clock, seen };
}

describe('a manager', () => {
  it('says which object held up everything else', async () => {
    let report: (line: unknown) => void = () => undefined;
    const reported = new Promise((resolve) => (report = resolve));
    const log: Logger = { ...silentLogger, info: (...line) => report(line), child: () => log };
    const client = createClient(fakeApi([configMap('a', '1')]));
    const manager = createManager({ client, random: () => 0.5, registry: new Registry(), log });
    const reconcile = async (): Promise<void> => {
      const end = systemClock.monotonic() + 300;
      while (systemClock.monotonic() < end);
    };
    manager.addController({ name: 'slow', sources: [watchKind(configMaps)], reconciler: { reconcile } });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const { namespace, name } = configMap('a', '1').metadata;
    expect(await reported).toEqual([
      'the event loop was held up',
      { ms: expect.any(Number), objects: [`slow ${namespace}/${name}`] },
    ]);
    stop.abort();
    await running;
  });

  it('fills the cache, reconciles what was there and what changes, over one watch, and leaves nothing behind', async () => {
    const { manager, api, clock, seen } = setUp();
    expect(manager.health()).toMatchObject({ ready: false, reasons: ['not started'] });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(0);
    expect(seen).toEqual(['ns/a']);
    api.emit('ADDED', configMap('b', '11'));
    const owner = { apiVersion: 'example.com/v1', kind: 'Site', name: 'site', uid: 'u', controller: true };
    const owned = configMap('c', '12');
    api.emit('ADDED', { ...owned, metadata: { ...owned.metadata, ownerReferences: [owner] } });
    await clock.advance(0);
    expect(seen).toEqual(['ns/a', 'ns/b', 'ns/c', 'ns/site']);
    expect(api.calls).toEqual(['GET /api/v1/configmaps', 'GET watch']);
    expect(manager.cache.list(configMaps, { namespace: 'ns' }).map(({ metadata }) => metadata.name)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(manager.cache.get(configMaps, { namespace: 'ns', name: 'b' })?.metadata.resourceVersion).toBe(
      '11',
    );
    expect(manager.idle()).toBe(true);
    expect(manager.health()).toMatchObject({ live: true, ready: true, reasons: [] });
    expect(await manager.registry.metrics()).toContain(
      'rest_client_requests_total{code="200",method="GET",host="test"} 2',
    );
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  it('says what is wrong while the server refuses, and is well again afterwards', async () => {
    const { manager, api, clock, seen } = setUp();
    api.refuse = 403;
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    for (let i = 0; i < 5; i++) await clock.advanceToNext();
    const { live, ready, reasons } = manager.health();
    expect({ live, ready }).toEqual({ live: true, ready: false });
    expect(reasons[0]).toMatch(/^v1 ConfigMap: forbidden: the server answered 403/);
    expect(seen).toEqual([]);
    api.refuse = undefined;
    await clock.advanceToNext();
    api.emit('ADDED', configMap('b', '11'));
    await clock.advance(0);
    expect(manager.health()).toMatchObject({ ready: true, reasons: [] });
    expect(seen).toEqual(['ns/a', 'ns/b']);
    stop.abort();
    await running;
  });

  it('knows a watch that has fallen silent', async () => {
    const { manager, clock } = setUp();
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(11 * 60_000);
    expect(manager.health().live).toBe(true);
    await clock.advance(1);
    expect(manager.health()).toMatchObject({ live: false, ready: false, reasons: ['v1 ConfigMap: stale'] });
    stop.abort();
    await running;
  });

  it('knows a list that never comes', async () => {
    const silent = { ...fakeApi([]), request: () => new Promise<never>(() => undefined) };
    const { manager, clock } = setUp(silent);
    void manager.start(new AbortController().signal);
    await clock.advance(60_000);
    expect(manager.health()).toMatchObject({ live: true, ready: false, reasons: ['v1 ConfigMap: syncing'] });
    await clock.advance(11 * 60_000);
    expect(manager.health()).toMatchObject({ live: false, reasons: ['v1 ConfigMap: stale'] });
  });

  it('is ready only when its checks say so', async () => {
    const { manager, clock } = setUp();
    let problem: string | undefined = 'the certificate is missing';
    manager.addReadyCheck('certificate', () => problem);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(0);
    expect(manager.health()).toMatchObject({ live: true, ready: false, reasons: [problem] });
    problem = undefined;
    expect(manager.health()).toMatchObject({ ready: true, reasons: [] });
    stop.abort();
    await running;
  });

  it('shows every metric of controller-runtime from the start', async () => {
    const { manager } = setUp();
    const metrics = await manager.registry.metrics();
    const own = 'controller="test"';
    for (const name of [
      'reconcile_errors',
      'terminal_reconcile_errors',
      'reconcile_panics',
      'reconcile_timeouts',
    ])
      expect(metrics).toContain(`controller_runtime_${name}_total{${own}} 0`);
    for (const result of ['success', 'error', 'requeue', 'requeue_after'])
      expect(metrics).toContain(`controller_runtime_reconcile_total{${own},result="${result}"} 0`);
    expect(metrics).toContain(`controller_runtime_active_workers{${own}} 0`);
    const others = ['max_concurrent_reconciles', 'reconcile_time_seconds'].map(
      (name) => `controller_runtime_${name}`,
    );
    const queue = ['depth', 'adds_total', 'queue_duration_seconds', 'work_duration_seconds', 'retries_total'];
    const more = ['unfinished_work_seconds', 'longest_running_processor_seconds'];
    for (const name of [...others, ...[...queue, ...more].map((one) => `workqueue_${one}`)])
      expect(metrics).toContain(`# TYPE ${name} `);
  });

  it('watches a part of a kind beside the whole, and refuses two wishes for one cache', async () => {
    const { manager, api, clock } = setUp();
    const part = partOf(configMaps, 'labelled', { labelSelector: 'a=b' });
    manager.cache.informer(configMaps);
    manager.cache.informer(part);
    manager.cache.informer(partOf(configMaps, 'labelled', { labelSelector: 'a=b' }));
    expect(() => manager.cache.informer(configMaps, { namespace: 'ns' })).toThrow(/other settings already/);
    expect(() => manager.cache.informer(partOf(configMaps, 'labelled', {}))).toThrow(
      'ConfigMap (labelled) is',
    );
    expect(() => manager.cache.get(partOf(configMaps, 'other', {}), { name: 'a' })).toThrow(/is not cached/);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(0);
    expect(api.calls.filter((call) => call === 'GET watch')).toHaveLength(2);
    expect(manager.health().kinds.map(({ name }) => name)).toEqual([
      'v1 ConfigMap',
      'v1 ConfigMap (labelled)',
    ]);
    stop.abort();
    await running;
  });

  it('stops everything when a part fails, and rejects with its reason', async () => {
    const { manager, clock } = setUp();
    let stopped = false;
    manager.add({
      async start(signal) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        stopped = true;
      },
    });
    manager.add({ start: () => Promise.reject(new RuntimeError('InvalidState', 'port taken')) });
    await expect(manager.start(new AbortController().signal)).rejects.toThrow('port taken');
    expect(stopped).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('works on standby only where that was asked for, and gives the Lease back after its last words', async () => {
    const api = fakeApi([configMap('a', '1')]);
    const clock = createManualClock();
    const order: string[] = [];
    let lead: () => void = () => undefined;
    const election: LeaderElection = {
      name: 'lease',
      transport: api,
      fenced: (transport) => transport,
      term: () => undefined,
      slowPaths: () => 3,
      async run(signal, onLeading) {
        lead = onLeading;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        order.push(...api.calls.filter((call) => call.startsWith('POST')), 'released');
      },
    };
    const manager = createManager({
      client: createClient(api),
      clock,
      random: () => 0.5,
      election,
      log: silentLogger,
    });
    const recorder = manager.recorderFor('test');
    for (const needLeaderElection of [false, true])
      manager.addController({
        name: `needs-${needLeaderElection}`,
        needLeaderElection,
        sources: [watchKind(configMaps)],
        reconciler: {
          async reconcile() {
            order.push(`needs ${needLeaderElection}`);
            recorder.record(configMap('a', '1'), { type: 'Normal', reason: 'Seen', message: 'x' });
            return {};
          },
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(0);
    expect(order).toEqual(['needs false']);
    expect(await manager.registry.metrics()).toContain('leader_election_slowpath_total{name="lease"} 3');
    lead();
    await clock.advance(0);
    expect(order).toEqual(['needs false', 'needs true']);
    recorder.record(configMap('b', '1'), { type: 'Normal', reason: 'Ended', message: 'x' });
    stop.abort();
    await running;
    const event = 'POST /api/v1/namespaces/ns/events';
    expect(order).toEqual(['needs false', 'needs true', event, event, 'released']);
    expect(clock.pending).toBe(0);
  });

  it('refuses what comes too late or twice', async () => {
    const { manager } = setUp();
    const controller = { name: 'test', sources: [], reconciler: { reconcile: async () => ({}) } };
    expect(() => manager.addController(controller)).toThrow('controller test is already registered');
    const signal = AbortSignal.abort();
    await manager.start(signal);
    await expect(manager.start(signal)).rejects.toMatchObject({ code: 'InvalidState' });
    expect(() => manager.addController({ ...controller, name: 'late' })).toThrow(
      'after the manager was started',
    );
  });

  it('answers probes and shows metrics over HTTP', async () => {
    const { manager, api, clock } = setUp();
    let open: (port: number) => void = () => undefined;
    const listening = new Promise<number>((resolve) => (open = resolve));
    manager.add(
      createHealthServer(manager, { port: 0, host: '127.0.0.1', onListening: (port) => open(port) }),
    );
    api.refuse = 500;
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const port = await listening;
    const ask = async (path: string): Promise<string> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return `${response.status} ${(await response.text()).split('\n')[0]}`;
    };
    await clock.advance(0);
    expect(await ask('/healthz')).toBe('200 ok');
    expect(await ask('/readyz?verbose')).toMatch(/^500 v1 ConfigMap: syncing/);
    api.refuse = undefined;
    await clock.advanceToNext();
    expect(await ask('/readyz')).toBe('200 ok');
    expect(await ask('/metrics')).toMatch(/^200 # HELP /);
    expect(await ask('/other')).toBe('404 not found');
    stop.abort();
    await running;
  });
});
