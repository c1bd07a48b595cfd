import { randomUUID } from 'node:crypto';
import {
  type Client,
  createClient,
  injectFaults,
  isConflict,
  type RecordingTransport,
  recordRequests,
  type ResourceRef,
  systemClock,
} from '@kubewright/client';
import {
  getOwn,
  type JsonObject,
  type KubeObject,
  ownerReferenceTo,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { silentLogger } from './log/logger.ts';
import type { Manager } from './manager/manager.ts';
import { createManager } from './manager/create-manager.ts';
import { updateStatus } from './objects/update-status.ts';
import { watchKind, watchMapped, watchOwned } from './controller/source.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
export type ServerUnderTest = { transport(): Transport };

const core = { group: '', version: 'v1', namespaced: true };
const configMaps: ResourceRef = { ...core, resource: 'configmaps', kind: 'ConfigMap' };
const secrets: ResourceRef = { ...core, resource: 'secrets', kind: 'Secret' };
const namespaces: ResourceRef = { ...core, resource: 'namespaces', kind: 'Namespace', namespaced: false };
const deployments: ResourceRef = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const events: ResourceRef = { ...core, resource: 'events', kind: 'Event' };

/** A controller on any API server: for each ConfigMap it keeps a Secret with the same data. */
export function runtimeContract(server: () => ServerUnderTest): void {
  describe('a manager with a controller', () => {
    const namespace = `runtime-${randomUUID().slice(0, 8)}`;
    let transport: RecordingTransport;
    let client: Client;
    beforeAll(async () => {
      transport = recordRequests(server().transport());
      client = createClient(transport, { fieldOwner: 'mirror' });
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });
    afterAll(async () => {
      await client.deleteAll(configMaps, { namespace });
      await client.deleteAll(secrets, { namespace });
      await client.delete(namespaces, { name: namespace });
      await transport.close();
    });

    const at = (name: string) => ({ namespace, name });
    const map = (name: string, text: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...at(name), labels: { mirror: 'yes' } },
      data: { text },
    });
    const secretText = async (name: string): Promise<unknown> => {
      const { data } = await client.get(secrets, at(name));
      const text = getOwn(data as JsonObject, 'text');
      return typeof text === 'string' ? Buffer.from(text, 'base64').toString() : text;
    };
    const eventually = (check: () => Promise<void>): Promise<void> =>
      vi.waitFor(check, { timeout: 20_000, interval: 20 });

    /** Runs `test` beside a manager with the mirror controller, and checks that nothing is left when it has stopped. */
    async function withMirror(over: Transport, test: (manager: Manager, seen: string[]) => Promise<void>) {
      const timers = new Set<object>();
      const clock = {
        ...systemClock,
        after(...[ms, callback, options]: Parameters<typeof systemClock.after>) {
          const timer = {};
          timers.add(timer);
          const cancel = systemClock.after(ms, () => (timers.delete(timer), callback()), options);
          return () => (timers.delete(timer), cancel());
        },
      };
      const manager = createManager({
        client: createClient(over, { fieldOwner: 'mirror' }),
        clock,
        log: silentLogger,
      });
      const seen = addMirror(manager, namespace);
      const stop = new AbortController();
      const running = manager.start(stop.signal);
      try {
        await manager.cache.waitForSync();
        await test(manager, seen);
      } finally {
        stop.abort();
        await running;
      }
      expect(timers.size).toBe(0);
      expect(manager.idle()).toBe(true);
    }

    it('makes what is wanted so, and makes it so again when somebody breaks it', async () => {
      await client.create(configMaps, map('early', 'one'));
      await withMirror(transport, async (manager) => {
        await eventually(async () => expect(await secretText('early')).toBe('one'));
        await client.create(configMaps, map('late', 'two'));
        await eventually(async () => expect(await secretText('late')).toBe('two'));
        await client.patch(configMaps, at('late'), { type: 'merge', body: { data: { text: 'three' } } });
        await eventually(async () => expect(await secretText('late')).toBe('three'));
        await client.delete(secrets, at('early'));
        await eventually(async () => expect(await secretText('early')).toBe('one'));
        expect(manager.health()).toMatchObject({ live: true, ready: true, reasons: [] });
        const metrics = await manager.registry.metrics();
        expect(metrics).toMatch(
          /controller_runtime_reconcile_total\{controller="mirror",result="success"\} [1-9]/,
        );
        expect(metrics).toMatch(/workqueue_adds_total\{name="mirror",controller="mirror"\} [1-9]/);
      });
    });

    it('writes nothing when it starts again and nothing has changed', async () => {
      transport.clear();
      await withMirror(transport, async (manager, seen) => {
        await eventually(async () => expect(new Set(seen).size).toBeGreaterThanOrEqual(2));
        await eventually(async () => expect(manager.idle()).toBe(true));
      });
      expect(transport.writes()).toEqual([]);
    });

    it('loses nothing when every third watch breaks off and every fifth write is lost', async () => {
      let watches = 0;
      let writes = 0;
      const faulty = injectFaults(transport, ({ method, path }) => {
        if (path.includes('watch=true'))
          return ++watches % 3 === 0 ? undefined : { type: 'cut', afterBytes: 600 };
        if (method === 'PATCH') return ++writes % 5 === 0 ? { type: 'lostResponse' } : undefined;
        return undefined;
      });
      await withMirror(faulty, async () => {
        const names = Array.from({ length: 10 }, (_, i) => `faulty-${i}`);
        for (const name of names) await client.create(configMaps, map(name, name));
        await eventually(async () => expect(await Promise.all(names.map(secretText))).toEqual(names));
      });
    });

    it('writes a status when it differs, never when it is the same, and never over a newer object', async () => {
      const spec = {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      };
      const base = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: at('status'), spec };
      const created = await client.create<KubeObject>(deployments, base);
      const updated = await updateStatus({ client }, deployments, created, {
        replicas: 3,
        observedGeneration: 1,
      });
      expect(updated['status']).toEqual({ replicas: 3, observedGeneration: 1 });
      expect(updated['spec']).toEqual(created['spec']);
      transport.clear();
      expect(
        await updateStatus({ client }, deployments, updated, { observedGeneration: 1, replicas: 3 }),
      ).toBe(updated);
      expect(transport.requests).toEqual([]);
      const late = updateStatus({ client }, deployments, created, { replicas: 1 }).catch(
        (error: unknown) => error,
      );
      expect(isConflict(await late)).toBe(true);
      // What the new status leaves out is gone.
      const shorter = await updateStatus({ client }, deployments, updated, { observedGeneration: 1 });
      expect(shorter['status']).toEqual({ observedGeneration: 1 });
      await client.delete(deployments, at('status'));
    });

    it('tells of the same thing once, with a count', async () => {
      const object = await client.create(configMaps, { ...map('told', 'x'), metadata: at('told') });
      const recorder = createManager({ client, log: silentLogger }).recorderFor('mirror');
      const note = { type: 'Warning', reason: 'Odd', message: 'it is odd' } as const;
      for (let i = 0; i < 3; i++) recorder.record(object, note);
      await recorder.settled();
      const { items } = await client.list(events, { namespace, fieldSelector: 'involvedObject.name=told' });
      expect(items).toHaveLength(1);
      for (const message of ['one', 'two', 'three']) recorder.record(object, { ...note, message });
      await recorder.settled();
      const all = await client.list(events, { namespace, fieldSelector: 'involvedObject.name=told' });
      const messages = all.items.map((event) => event['message']);
      expect(new Set(messages)).toEqual(new Set(['it is odd', 'one', 'two', 'three']));
      expect(items[0]).toMatchObject({
        reason: 'Odd',
        type: 'Warning',
        count: 3,
        source: { component: 'mirror' },
      });
    });

    it('joins what differs in words only, and tells of objects whose names no Event may have', async () => {
      const object = await client.create(configMaps, { ...map('joined', 'x'), metadata: at('joined') });
      const manager = createManager({ client, log: silentLogger });
      const recorder = manager.recorderFor('mirror');
      for (let i = 1; i <= 12; i++)
        recorder.record(object, { type: 'Normal', reason: 'Tried', message: `try ${i}` });
      await recorder.settled();
      const { items } = await client.list(events, { namespace, fieldSelector: 'involvedObject.name=joined' });
      expect(items).toHaveLength(10);
      expect(items.find(({ count }) => count === 3)?.['message']).toBe(
        '(combined from similar events): try 12',
      );
      const odd = { ...object, metadata: { ...object.metadata, name: 'system:odd', uid: 'odd' } };
      recorder.record(odd, { type: 'Normal', reason: 'Tried', message: 'x' });
      await recorder.settled();
      const told = { namespace, fieldSelector: 'involvedObject.name=system:odd' };
      expect((await client.list(events, told)).items).toHaveLength(1);
    });
  });
}

/** Adds the controller; returns the names that it has reconciled. */
function addMirror(manager: Manager, namespace: string): string[] {
  const seen: string[] = [];
  const cached = { namespace };
  manager.addController({
    name: 'mirror',
    maxConcurrentReconciles: 4,
    sources: [
      watchKind(configMaps, {
        cached,
        predicates: [({ object }) => object.metadata.labels?.['mirror'] === 'yes'],
      }),
      watchOwned(secrets, { group: '', kind: 'ConfigMap' }, { cached }),
      // Whoever mapped: here the same objects by another way, which must change nothing.
      watchMapped(secrets, ({ metadata }) =>
        metadata.labels?.['mirror-of'] === undefined
          ? []
          : [{ namespace, name: metadata.labels['mirror-of'] }],
      ),
    ],
    reconciler: {
      async reconcile(request) {
        seen.push(request.name);
        const source = manager.cache.get(configMaps, request);
        if (source === undefined) return {};
        const wanted = secretFor(source);
        const present = manager.cache.get(secrets, request);
        if (present !== undefined && JSON.stringify(present['data']) === JSON.stringify(wanted['data']))
          return {};
        await manager.client.apply(secrets, wanted, { force: true });
        return {};
      },
    },
  });
  return seen;
}

function secretFor(source: Stored): KubeObject {
  const { name, namespace = '' } = source.metadata;
  const data = source['data'] as Record<string, string>;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { 'mirror-of': name },
      ownerReferences: [ownerReferenceTo(source, { controller: true })],
    },
    data: { text: Buffer.from(data['text'] ?? '').toString('base64') },
  };
}
