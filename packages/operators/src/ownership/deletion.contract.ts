import { ignoreNotFound, keyOf } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { COMPOSITIONS, RESOURCE_SLICES } from './api.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { type Compositions, useCompositions } from './testing/use-compositions.ts';

/** What goes, when, and what stays, on any server. */
export function deletionContract(server: () => ServerUnderTest): void {
  describe('deleting a Composition', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap, slice, until, untilStates } = world;
    const remove = async (owner: KubeObject): Promise<void> =>
      void (await arena.client.delete(COMPOSITIONS, keyOf(owner)));
    const untilGone = (owner: KubeObject): Promise<void> =>
      until(async () =>
        expect(await ignoreNotFound(arena.client.get(COMPOSITIONS, keyOf(owner)))).toBeUndefined(),
      );

    test('its objects go with it, in all slices', async () => {
      const owner = await compose('whole');
      const first = await slice(owner, [config('whole-a', { a: '1' })]);
      const second = await slice(owner, [config('whole-b', { a: '1' })], 'whole-2');
      await untilStates(first, [{ reconciled: true }]);
      await untilStates(second, [{ reconciled: true }]);

      await remove(owner);
      await untilGone(owner);

      expect([await configMap('whole-a'), await configMap('whole-b')]).toEqual([undefined, undefined]);
    });

    test('orphan, on the Composition or on one object, keeps objects', async () => {
      const orphan = { 'deletion-strategy': 'orphan' };
      const owner = await compose('kept', {
        metadata: { annotations: { 'eno.azure.io/deletion-strategy': 'orphan' } },
      });
      const other = await compose('partly');
      const first = await slice(owner, [config('kept', { a: '1' })]);
      const second = await slice(other, [config('kept-one', { a: '1' }, orphan), config('gone', { a: '1' })]);
      await untilStates(first, [{ reconciled: true }]);
      await untilStates(second, [{ reconciled: true }, { reconciled: true }]);

      await remove(owner);
      await remove(other);
      await untilGone(owner);
      await untilGone(other);

      expect(await configMap('kept')).toBeDefined();
      expect(await configMap('kept-one')).toBeDefined();
      expect(await configMap('gone')).toBeUndefined();
    });

    test('what is not reconciled is not deleted', async () => {
      const owner = await compose('disabled');
      const written = await slice(owner, [config('disabled', { a: '1' })]);
      await untilStates(written, [{ reconciled: true }]);
      const disabled = config('disabled', { a: '1' }, { 'disable-reconciliation': 'true' });
      await replaceManifests(world, written, [disabled]);
      await untilStates(written, [{ reconciled: true, deleted: true }]);

      await remove(owner);
      await untilGone(owner);
      expect(await configMap('disabled')).toBeDefined();
    });

    test('a deletion group waits until the one before it is gone', async () => {
      const owner = await compose('groups');
      const held = config(
        'groups-1',
        { a: '1' },
        { 'deletion-group': '1', 'deletion-strategy': 'foreground' },
      );
      const written = await slice(owner, [config('groups-2', { a: '1' }, { 'deletion-group': '2' }), held]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }]);
      await setFinalizers(world, 'groups-1', ['example.com/hold']);

      await remove(owner);
      await untilStates(written, [{}, { reconciled: false }]);
      expect((await configMap('groups-2'))?.metadata.deletionTimestamp).toBeUndefined();
      await setFinalizers(world, 'groups-1', []);
      await untilGone(owner);

      expect(await configMap('groups-2')).toBeUndefined();
    });

    test('it waits for those that depend on it', async () => {
      const database = await compose('database');
      const web = await compose('web', { spec: { dependsOn: [{ name: 'database' }] } });
      await slice(database, [config('database', { a: '1' })]);
      const written = await slice(web, [config('web', { a: '1' })]);
      await untilStates(written, [{ reconciled: true }]);

      await remove(database);
      await until(async () =>
        expect((await world.composition(database)).status).toMatchObject({
          simplified: { status: 'WaitingOnDependents' },
          dependencyStatus: { blocked: true, blockedBy: [{ name: 'web' }] },
        }),
      );
      expect(await configMap('database')).toBeDefined();
      await remove(web);
      await untilGone(database);
      expect(await configMap('database')).toBeUndefined();
    });
  });

  describe('pruning', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap, slice, states, until, untilStates } = world;

    test('an object that a slice no longer mentions is deleted, unless another slice does', async () => {
      const owner = await compose('pruned');
      const first = await slice(owner, [
        config('stays', { a: '1' }),
        config('goes', { a: '1' }),
        config('moves', {}),
      ]);
      await untilStates(first, [{ reconciled: true }, { reconciled: true }, { reconciled: true }]);
      const second = await slice(owner, [config('moves', { a: '2' })], 'pruned-2');
      await untilStates(second, [{ reconciled: true }]);

      await replaceManifests(world, first, [config('stays', { a: '1' })]);
      await until(async () => expect(await configMap('goes')).toBeUndefined());

      await arena.client.delete(RESOURCE_SLICES, keyOf(first));
      await until(async () => expect(await configMap('stays')).toBeUndefined());
      expect(await configMap('moves')).toMatchObject({ data: { a: '2' } });
      await until(async () =>
        expect(await ignoreNotFound(arena.client.get(RESOURCE_SLICES, keyOf(first)))).toBeUndefined(),
      );
      await until(async () =>
        expect((await world.composition(owner)).status).toMatchObject({
          currentSynthesis: { resourceSlices: [{ name: 'pruned-2' }] },
          previousSynthesis: { resourceSlices: [{ name: 'pruned-1' }, { name: 'pruned-2' }] },
        }),
      );
    });

    test('nothing is deleted for a manifest that cannot be read', async () => {
      const owner = await compose('broken');
      const written = await slice(owner, [config('broken', { a: '1' })]);
      await untilStates(written, [{ reconciled: true }]);

      await replaceManifests(world, written, [{ manifest: '{' }, config('more', { a: '1' })]);
      await untilStates(written, [{ reconciled: false }, { reconciled: true }]);
      expect(await configMap('broken')).toBeDefined();
    });

    test('a tombstone without a namespace counts as deleted', async () => {
      const owner = await compose('nowhere');
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'nowhere' } };
      const written = await slice(owner, [{ manifest: JSON.stringify(object), deleted: true }]);

      await untilStates(written, [{ reconciled: true, deleted: true }]);
      expect((await states(written))[0]).not.toHaveProperty('reconciliationError');
    });

    test('a synthesis that another program writes is followed, and what it drops is deleted', async () => {
      const owner = await compose('elsewhere', { spec: { synthesizer: { name: 'none' } } });
      const first = await slice(owner, [config('old', { a: '1' }), config('both', { a: '1' })]);
      const synthesized = (uuid: string, name: string) => ({ uuid, resourceSlices: [{ name }] });
      const publish = (status: object): Promise<unknown> =>
        until(async () =>
          arena.client.patch(
            COMPOSITIONS,
            keyOf(owner),
            { type: 'merge', body: { status } as never },
            { subresource: 'status' },
          ),
        );
      const one = synthesized('1', 'elsewhere-1');
      await publish({ currentSynthesis: one });
      await untilStates(first, [{ reconciled: true }, { reconciled: true }]);
      await until(async () =>
        expect((await world.composition(owner)).status?.simplified?.status).toBe('Ready'),
      );

      const second = await slice(owner, [config('both', { a: '2' })], 'elsewhere-2');
      await publish({
        currentSynthesis: { ...synthesized('2', 'elsewhere-2'), reconciled: null, ready: null },
        previousSynthesis: one,
      });
      await untilStates(second, [{ reconciled: true }]);
      await until(async () => expect(await configMap('old')).toBeUndefined());
      expect(await configMap('both')).toMatchObject({ data: { a: '2' } });
      expect((await world.composition(owner)).status?.previousSynthesis?.uuid).toBe('1');
    });
  });

  describe('order', () => {
    const { compose, composition, config, configMap, setData, slice, until, untilStates } =
      useCompositions(server);

    test('a later group waits until the earlier one is ready, in another slice too', async () => {
      const owner = await compose('ordered');
      const ready = { readiness: 'has(self.data.ready)', 'readiness-group': '1' };
      const later = await slice(
        owner,
        [config('later', { a: '1' }, { 'readiness-group': '2' })],
        'ordered-2',
      );
      const first = await slice(owner, [
        config('last', { a: '1' }, { 'readiness-group': '3' }),
        config('first', { a: '1' }, ready),
      ]);
      await untilStates(first, [{}, { reconciled: true }]);
      await until(async () =>
        expect((await composition(owner)).status?.simplified?.status).toBe('Reconciling'),
      );

      await setData('first', { ready: '1' });
      await untilStates(later, [{ reconciled: true }]);
      await untilStates(first, [{ reconciled: true }, { reconciled: true }]);
      expect(await configMap('last')).toBeDefined();
    });

    test('a Composition waits until those that it depends on are ready', async () => {
      const owner = await compose('dependent', { spec: { dependsOn: [{ name: 'base' }] } });
      const written = await slice(owner, [config('dependent', { a: '1' })]);
      await until(async () =>
        expect((await composition(owner)).status).toMatchObject({
          simplified: { status: 'WaitingOnDependencies' },
          dependencyStatus: { blockedBy: [{ name: 'base', reason: 'DependencyNotFound' }] },
        }),
      );

      await slice(await compose('base'), [config('base', { a: '1' })]);
      await untilStates(written, [{ reconciled: true }]);
      expect((await composition(owner)).status).not.toHaveProperty('dependencyStatus');
    });
  });
}

async function replaceManifests(
  { arena }: Compositions,
  slice: KubeObject,
  resources: readonly object[],
): Promise<void> {
  await arena.client.patch(RESOURCE_SLICES, keyOf(slice as never), {
    type: 'merge',
    body: { spec: { resources } } as never,
  });
}

async function setFinalizers(
  { arena }: Compositions,
  name: string,
  finalizers: readonly string[],
): Promise<void> {
  const metadata = { name, namespace: arena.namespace };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  await arena.patch(object, { metadata: { finalizers } }, 'somebody', { type: 'merge' });
}
