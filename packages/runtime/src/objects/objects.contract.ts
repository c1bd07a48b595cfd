import { isConflict, isNotFound, type ResourceRef } from '@kubewright/client';
import { apiextensionsv1, corev1, type Stored } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../log/logger.ts';
import { asReconciler } from '../controller/as-reconciler.ts';
import { watchKind, watchOwned } from '../controller/source.ts';
import { createManager } from '../manager/create-manager.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';
import { installDefinitions } from './install-definitions.ts';
import { failure, objectsBench, type ServerUnderTest } from './testing/objects-bench.ts';
import { updateStatusOnce } from './update-status-once.ts';
import { waitForObject } from './wait-for-object.ts';

const configMaps: ResourceRef = corev1.configmaps;
const definitions = apiextensionsv1.customresourcedefinitions;

/** What the helpers promise that wait for objects, hold them and report on them, on any API server. */
export function objectsContract(server: () => ServerUnderTest): void {
  describe('helpers for objects', () => {
    const { at, client, jobs, map, namespace, task, transport } = objectsBench(server);

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
      const held = await addFinalizer({ client }, configMaps, created, 'example.com/a');
      expect(held.metadata.finalizers).toEqual(['example.com/a']);
      transport.clear();
      expect(await addFinalizer({ client }, configMaps, held, 'example.com/a')).toBe(held);
      expect(transport.requests).toEqual([]);
      const both = await addFinalizer({ client }, configMaps, held, 'example.com/b');
      expect(isConflict(await failure(addFinalizer({ client }, configMaps, held, 'example.com/c')))).toBe(
        true,
      );
      expect(isConflict(await failure(removeFinalizer({ client }, configMaps, held, 'example.com/a')))).toBe(
        true,
      );
      await client.delete(configMaps, at('held'));
      const dying = await client.get(configMaps, at('held'));
      expect(await addFinalizer({ client }, configMaps, dying, 'example.com/late')).toBe(dying);
      expect(isConflict(await failure(removeFinalizer({ client }, configMaps, both, 'example.com/b')))).toBe(
        true,
      );
      const less = await removeFinalizer({ client }, configMaps, dying, 'example.com/a');
      expect(less?.metadata.finalizers).toEqual(['example.com/b']);
      await removeFinalizer({ client }, configMaps, less as Stored, 'example.com/b');
      expect(isNotFound(await failure(client.get(configMaps, at('held'))))).toBe(true);
      expect(await removeFinalizer({ client }, configMaps, less as Stored, 'example.com/b')).toBeUndefined();
    });

    it('never take the finalizer of an object that was made anew', async () => {
      const first = await client.create(configMaps, map('anew'));
      const held = await addFinalizer({ client }, configMaps, first, 'example.com/a');
      await client.delete(configMaps, at('anew'));
      await removeFinalizer(
        { client },
        configMaps,
        await client.get(configMaps, at('anew')),
        'example.com/a',
      );
      await addFinalizer(
        { client },
        configMaps,
        await client.create(configMaps, map('anew')),
        'example.com/a',
      );
      expect(isConflict(await failure(removeFinalizer({ client }, configMaps, held, 'example.com/a')))).toBe(
        true,
      );
      const second = await client.get(configMaps, at('anew'));
      await removeFinalizer({ client }, configMaps, second, 'example.com/a');
    });

    it('write a final status once', async () => {
      const created = await task('final');
      const isFinal = (status: { readonly phase: string } | undefined) => status?.phase === 'Done';
      const running = await updateStatusOnce({ client }, jobs, created, { phase: 'Running' }, { isFinal });
      const done = await updateStatusOnce({ client }, jobs, running, { phase: 'Done' }, { isFinal });
      expect(done.status).toEqual({ phase: 'Done' });
      expect(await updateStatusOnce({ client }, jobs, done, { phase: 'Running' }, { isFinal })).toBe(done);
      // Who knows an older state does not know that it is final.
      const late = updateStatusOnce({ client }, jobs, running, { phase: 'Failed' }, { isFinal });
      expect(isConflict(await failure(late))).toBe(true);
      // Nor does who knows an object that is gone.
      await client.delete(jobs, at('final'));
      await task('final');
      const old = updateStatusOnce({ client }, jobs, running, { phase: 'Failed' }, { isFinal });
      expect(isConflict(await failure(old))).toBe(true);
      expect((await client.get(jobs, at('final'))).status).toBeUndefined();
    });

    it('reconcile objects with a finalizer that is kept until the end is done', async () => {
      const manager = createManager({ client, log: silentLogger });
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
