import { randomUUID } from 'node:crypto';
import {
  type Client,
  createClient,
  isConflict,
  isNotFound,
  type RecordingTransport,
  recordRequests,
  type ResourceRef,
} from '@kubewright/client';
import {
  apiextensionsv1,
  corev1,
  customResource,
  type KubeObject,
  s,
  type Transport,
} from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asReconciler } from '../controller/as-reconciler.ts';
import { watchKind, watchOwned } from '../controller/source.ts';
import { createManager } from '../manager/create-manager.ts';
import { applyObject, applyOwned } from './apply-object.ts';
import { createOrPatch, createOrUpdate } from './create-or-update.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';
import { installDefinitions } from './install-definitions.ts';
import { isControlledBy } from './owner-references.ts';
import { updateStatusOnce } from './update-status-once.ts';
import { waitForObject } from './wait-for-object.ts';

export type ServerUnderTest = { transport(): Transport };

const configMaps: ResourceRef = corev1.configmaps;
const services: ResourceRef = corev1.services;
const namespaces: ResourceRef = corev1.namespaces;
const definitions = apiextensionsv1.customresourcedefinitions;

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** What the helpers for objects promise, on any API server. */
export function objectsContract(server: () => ServerUnderTest): void {
  describe('helpers for objects', () => {
    const suffix = randomUUID().slice(0, 8);
    const namespace = `objects-${suffix}`;
    const jobs = customResource({
      group: `${namespace}.example.com`,
      version: 'v1',
      kind: 'Task',
      plural: 'tasks',
      scope: 'Namespaced',
      schema: s.object({
        spec: s.object({ text: s.string() }),
        status: s.optional(s.object({ phase: s.string() })),
      }),
    });
    let transport: RecordingTransport;
    let client: Client;
    beforeAll(async () => {
      transport = recordRequests(server().transport());
      client = createClient(transport, { fieldOwner: 'helper' });
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await installDefinitions(client, [jobs.definition], { fieldManager: 'helper' });
    });
    afterAll(async () => {
      await client.delete(definitions, { name: jobs.definition.metadata.name ?? '' });
      await client.delete(namespaces, { name: namespace });
      await transport.close();
    });
    const at = (name: string) => ({ namespace, name });
    const map = (name: string, data: Record<string, string> = {}): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: at(name),
      data,
    });
    const task = (name: string) =>
      client.create(jobs, {
        apiVersion: `${jobs.group}/v1`,
        kind: 'Task',
        metadata: at(name),
        spec: { text: 'x' },
      });

    it('install a definition once more without a change', async () => {
      const before = await client.get(definitions, { name: jobs.definition.metadata.name ?? '' });
      await installDefinitions(client, [jobs.definition], { fieldManager: 'helper' });
      const after = await client.get(definitions, { name: jobs.definition.metadata.name ?? '' });
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });

    it('wait for an object, also for its end, and give up', async () => {
      const gone = waitForObject(client, configMaps, at('awaited'), (one) => one?.['data'] !== undefined);
      await client.create(configMaps, map('awaited', { a: 'b' }));
      expect((await gone)?.metadata.name).toBe('awaited');
      await client.delete(configMaps, at('awaited'));
      expect(
        await waitForObject(client, configMaps, at('awaited'), (one) => one === undefined),
      ).toBeUndefined();
      const never = waitForObject(client, configMaps, at('never'), (one) => one !== undefined, {
        timeoutMs: 1,
      });
      expect(await failure(never)).toMatchObject({ code: 'TimedOut' });
      const signal = AbortSignal.abort();
      const stopped = waitForObject(client, configMaps, at('never'), (one) => one !== undefined, { signal });
      expect(await failure(stopped)).toMatchObject({ code: 'TimedOut' });
    });

    it('add a finalizer once, hold the object by it, and let it go', async () => {
      const created = await client.create(configMaps, map('held'));
      const held = await addFinalizer(client, configMaps, created, 'example.com/a');
      expect(held.metadata.finalizers).toEqual(['example.com/a']);
      transport.clear();
      expect(await addFinalizer(client, configMaps, held, 'example.com/a')).toBe(held);
      expect(transport.requests).toEqual([]);
      const both = await addFinalizer(client, configMaps, held, 'example.com/b');
      expect(isConflict(await failure(addFinalizer(client, configMaps, held, 'example.com/c')))).toBe(true);
      expect(isConflict(await failure(removeFinalizer(client, configMaps, held, 'example.com/a')))).toBe(
        true,
      );
      await client.delete(configMaps, at('held'));
      const dying = await client.get(configMaps, at('held'));
      expect(await addFinalizer(client, configMaps, dying, 'example.com/late')).toBe(dying);
      expect(isConflict(await failure(removeFinalizer(client, configMaps, both, 'example.com/b')))).toBe(
        true,
      );
      const less = await removeFinalizer(client, configMaps, dying, 'example.com/a');
      expect(less?.metadata.finalizers).toEqual(['example.com/b']);
      await removeFinalizer(client, configMaps, less as KubeObject, 'example.com/b');
      expect(isNotFound(await failure(client.get(configMaps, at('held'))))).toBe(true);
      expect(await removeFinalizer(client, configMaps, less as KubeObject, 'example.com/b')).toBeUndefined();
    });

    it('never take the finalizer of an object that was made anew', async () => {
      const first = await client.create(configMaps, map('anew'));
      const held = await addFinalizer(client, configMaps, first, 'example.com/a');
      await client.delete(configMaps, at('anew'));
      await removeFinalizer(client, configMaps, await client.get(configMaps, at('anew')), 'example.com/a');
      await addFinalizer(client, configMaps, await client.create(configMaps, map('anew')), 'example.com/a');
      expect(isConflict(await failure(removeFinalizer(client, configMaps, held, 'example.com/a')))).toBe(
        true,
      );
      const second = await client.get(configMaps, at('anew'));
      await removeFinalizer(client, configMaps, second, 'example.com/a');
    });

    it('write a final status once', async () => {
      const created = await task('final');
      const isFinal = (status: { readonly phase: string } | undefined) => status?.phase === 'Done';
      const running = await updateStatusOnce(client, jobs, created, { phase: 'Running' }, { isFinal });
      const done = await updateStatusOnce(client, jobs, running, { phase: 'Done' }, { isFinal });
      expect(done.status).toEqual({ phase: 'Done' });
      expect(await updateStatusOnce(client, jobs, done, { phase: 'Running' }, { isFinal })).toBe(done);
      // Who knows an older state does not know that it is final.
      const late = updateStatusOnce(client, jobs, running, { phase: 'Failed' }, { isFinal });
      expect(isConflict(await failure(late))).toBe(true);
      // Nor does who knows an object that is gone.
      await client.delete(jobs, at('final'));
      await task('final');
      const old = updateStatusOnce(client, jobs, running, { phase: 'Failed' }, { isFinal });
      expect(isConflict(await failure(old))).toBe(true);
      expect((await client.get(jobs, at('final'))).status).toBeUndefined();
    });

    it('create, update, and leave alone', async () => {
      const text = (value: string) => (current: KubeObject | undefined) => ({
        ...(current ?? map('made')),
        data: { text: value },
      });
      const results: string[] = [];
      for (const value of ['a', 'a', 'b']) {
        const { result, object } = await createOrUpdate(client, configMaps, at('made'), text(value));
        expect(object['data']).toEqual({ text: value });
        results.push(result);
      }
      expect(results).toEqual(['created', 'unchanged', 'updated']);
      const other = createOrUpdate(client, configMaps, at('elsewhere'), text('a'));
      expect(await failure(other)).toMatchObject({ code: 'InvalidState' });
    });

    it('create, patch object and status apart, and leave alone', async () => {
      const wanted = (text: string, phase: string) =>
        createOrPatch(client, jobs, at('patched'), (current) => ({
          apiVersion: `${jobs.group}/v1`,
          kind: 'Task',
          ...current,
          metadata: current?.metadata ?? at('patched'),
          spec: { text },
          status: { phase },
        }));
      const results: string[] = [];
      for (const [text, phase] of [
        ['a', 'One'],
        ['a', 'One'],
        ['a', 'One'],
        ['b', 'One'],
        ['c', 'Two'],
      ] as const) {
        const { result, object } = await wanted(text, phase);
        expect(object.spec).toEqual({ text });
        results.push(result);
      }
      expect(results).toEqual(['created', 'updatedStatusOnly', 'unchanged', 'updated', 'updatedStatus']);
      expect((await client.get(jobs, at('patched'))).status).toEqual({ phase: 'Two' });
    });

    it('apply only what would change something', async () => {
      const service = (port: number): KubeObject => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { ...at('applied'), labels: { app: 'a' }, annotations: { note: 'x' } },
        spec: {
          selector: { app: 'a' },
          ports: [
            { port, name: 'http' },
            { port: 443, name: 'https' },
          ],
        },
      });
      const options = { fieldManager: 'helper' };
      const live = await applyObject(client, services, service(80), options);
      const body = { metadata: { labels: { theirs: 'y' } } };
      const patch = { type: 'merge', body } as const;
      const touched = await client.patch(services, at('applied'), patch, { fieldManager: 'somebody' });
      transport.clear();
      expect(await applyObject(client, services, service(80), { ...options, live })).toBe(live);
      expect(await applyObject(client, services, service(80), { ...options, live: touched })).toBe(touched);
      expect(transport.requests).toEqual([]);
      const moved = await applyObject(client, services, service(81), { ...options, live: touched });
      expect(moved['spec']).toMatchObject({ ports: [{ port: 81 }, { port: 443 }] });
      const taken = { type: 'merge', body: { metadata: { annotations: { note: 'mine' } } } } as const;
      const theirs = await client.patch(services, at('applied'), taken, { fieldManager: 'somebody' });
      const back = await applyObject(client, services, service(81), { ...options, live: theirs });
      expect(back.metadata.annotations).toEqual({ note: 'x' });
    });

    it('apply what an owner owns, and touch nothing of anybody else', async () => {
      const manager = createManager({ client });
      manager.cache.informer(configMaps, { namespace });
      const stop = new AbortController();
      const running = manager.start(stop.signal);
      await manager.cache.waitForSync();
      const own = (owner: KubeObject, name: string, adopt = false) =>
        applyOwned(manager, configMaps, owner, map(name, { a: 'b' }), { fieldManager: 'helper', adopt });
      const owner = await task('owner');
      const first = await own(owner, 'owned');
      expect(isControlledBy(first, owner)).toBe(true);
      expect((await own(owner, 'owned')).metadata.resourceVersion).toBe(first.metadata.resourceVersion);

      await client.create(configMaps, map('nobody', { keep: 'me' }));
      expect(await failure(own(owner, 'nobody'))).toMatchObject({ code: 'AlreadyOwned' });
      expect((await client.get(configMaps, at('nobody')))['data']).toEqual({ keep: 'me' });
      expect(isControlledBy(await own(owner, 'nobody', true), owner)).toBe(true);

      // Made anew under its name: what the first left behind is not the second's.
      await client.delete(jobs, at('owner'), { propagationPolicy: 'Orphan' });
      await waitForObject(
        client,
        jobs,
        at('owner'),
        (live) => live?.metadata.deletionTimestamp !== undefined || live === undefined,
      );
      const orphaned = await client.get(jobs, at('owner')).catch(() => undefined);
      if (orphaned !== undefined) await removeFinalizer(client, jobs, orphaned, 'orphan');
      const second = await task('owner');
      for (const adopt of [false, true])
        expect(await failure(own(second, 'owned', adopt))).toMatchObject({ code: 'AlreadyOwned' });
      stop.abort();
      await running;
    });

    it('reconcile objects with a finalizer that is kept until the end is done', async () => {
      const manager = createManager({ client });
      const told: string[] = [];
      let ready = false;
      manager.addController({
        name: 'tasks',
        backoff: { baseMs: 5, maxMs: 50 },
        sources: [
          watchKind(jobs, { cached: { namespace } }),
          watchOwned(configMaps, jobs, { cached: { namespace } }),
        ],
        reconciler: asReconciler(manager, jobs, {
          finalizer: 'example.com/task',
          async reconcile(one) {
            told.push(`${one.metadata.name} held: ${one.metadata.finalizers?.join()}`);
          },
          async finalize(one) {
            told.push(`${one.metadata.name} ends`);
            if (!ready) {
              ready = true;
              return { requeueAfter: 1 };
            }
            return {};
          },
        }),
      });
      const stop = new AbortController();
      const running = manager.start(stop.signal);
      await task('whole');
      await waitForObject(client, jobs, at('whole'), (one) => one?.metadata.finalizers !== undefined);
      await client.delete(jobs, at('whole'));
      await waitForObject(client, jobs, at('whole'), (one) => one === undefined);
      stop.abort();
      await running;
      const whole = told.filter((line) => line.startsWith('whole'));
      expect(whole[0]).toBe('whole held: example.com/task');
      expect(whole.filter((line) => line === 'whole ends').length).toBeGreaterThanOrEqual(2);
    });
  });
}
