import type { ResourceRef } from '@kubewright/client';
import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { createManager } from '../manager/create-manager.ts';
import { applyObject, applyOwned } from './apply-object.ts';
import { createOrPatch, createOrUpdate } from './create-or-update.ts';
import { removeFinalizer } from './finalizers.ts';
import { isControlledBy } from './owner-references.ts';
import { failure, objectsBench, type ServerUnderTest } from './testing/objects-bench.ts';
import { waitForObject } from './wait-for-object.ts';

const configMaps: ResourceRef = corev1.configmaps;
const services: ResourceRef = corev1.services;

/** What the helpers promise that create, update, patch and apply objects, on any API server. */
export function writesContract(server: () => ServerUnderTest): void {
  describe('helpers for objects', () => {
    const { at, client, jobs, map, namespace, task, transport } = objectsBench(server);

    it('create, update, and leave alone', async () => {
      const text = (value: string) => (current: KubeObject | undefined) => ({
        ...(current ?? map('made')),
        data: { text: value },
      });
      const results: string[] = [];
      for (const value of ['a', 'a', 'b']) {
        const { result, object } = await createOrUpdate({ client }, configMaps, at('made'), text(value));
        expect(object['data']).toEqual({ text: value });
        results.push(result);
      }
      expect(results).toEqual(['created', 'unchanged', 'updated']);
      const other = createOrUpdate({ client }, configMaps, at('elsewhere'), text('a'));
      expect(await failure(other)).toMatchObject({ code: 'InvalidState' });
    });

    it('create, patch object and status apart, and leave alone', async () => {
      const wanted = (text: string, phase: string) =>
        createOrPatch({ client }, jobs, at('patched'), (current) => ({
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
      const live = await applyObject({ client }, services, service(80), options);
      const body = { metadata: { labels: { theirs: 'y' } } };
      const patch = { type: 'merge', body } as const;
      const touched = await client.patch(services, at('applied'), patch, { fieldManager: 'somebody' });
      transport.clear();
      expect(await applyObject({ client }, services, service(80), { ...options, live })).toBe(live);
      expect(await applyObject({ client }, services, service(80), { ...options, live: touched })).toBe(
        touched,
      );
      expect(transport.requests).toEqual([]);
      const moved = await applyObject({ client }, services, service(81), { ...options, live: touched });
      expect(moved['spec']).toMatchObject({ ports: [{ port: 81 }, { port: 443 }] });
      const taken = { type: 'merge', body: { metadata: { annotations: { note: 'mine' } } } } as const;
      const theirs = await client.patch(services, at('applied'), taken, { fieldManager: 'somebody' });
      const back = await applyObject({ client }, services, service(81), { ...options, live: theirs });
      expect(back.metadata.annotations).toEqual({ note: 'x' });
    });

    it('apply what an owner owns, and touch nothing of anybody else', async () => {
      const manager = createManager({ client, log: silentLogger });
      manager.cache.informer(configMaps, { namespace });
      const stop = new AbortController();
      const running = manager.start(stop.signal);
      await manager.cache.waitForSync();
      const own = (owner: Stored, name: string, adopt = false) =>
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
      if (orphaned !== undefined) await removeFinalizer({ client }, jobs, orphaned, 'orphan');
      const second = await task('owner');
      for (const adopt of [false, true])
        expect(await failure(own(second, 'owned', adopt))).toMatchObject({ code: 'AlreadyOwned' });
      stop.abort();
      await running;
    });
  });
}
