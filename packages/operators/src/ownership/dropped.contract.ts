import { ignoreNotFound, keyOf } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { COMPOSITIONS, RESOURCE_SLICES } from './api.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

/** An override that keeps an object from being reconciled while its data say so. */
const OVERRIDES = JSON.stringify([
  {
    path: "self.metadata.annotations['eno.azure.io/disable-reconciliation']",
    value: 'true',
    condition: 'has(self.data) && has(self.data.leave)',
  },
]);

/** What a synthesis no longer has, and what is left of old slices, on any server. No garbage collector runs. */
export function droppedContract(server: () => ServerUnderTest): void {
  describe('what is dropped', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap, slice, until, untilStates } = world;
    const ended = (of: KubeObject): Promise<void> =>
      until(async () =>
        expect(await ignoreNotFound(arena.client.get(RESOURCE_SLICES, keyOf(of)))).toBeUndefined(),
      );
    const publish = (owner: KubeObject, status: object): Promise<unknown> =>
      until(async () =>
        arena.client.patch(
          COMPOSITIONS,
          keyOf(owner),
          { type: 'merge', body: { status } as never },
          { subresource: 'status' },
        ),
      );
    const synthesis = (uuid: string, name: string) => ({
      uuid,
      resourceSlices: [{ name }],
      reconciled: null,
      ready: null,
    });
    const annotate = (owner: KubeObject, annotations: object): Promise<unknown> =>
      arena.client.patch(COMPOSITIONS, keyOf(owner), {
        type: 'merge',
        body: { metadata: { annotations } } as never,
      });

    test('an object is deleted although its strategy is orphan: that is for the Composition', async () => {
      const owner = await compose('orphan', {
        metadata: { annotations: { 'eno.azure.io/deletion-strategy': 'orphan' } },
      });
      const written = await slice(owner, [
        config('orphan-goes', { a: '1' }),
        config('orphan-stays', { a: '1' }),
      ]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }]);

      const resources = [config('orphan-stays', { a: '1' })];
      await arena.client.patch(RESOURCE_SLICES, keyOf(written), {
        type: 'merge',
        body: { spec: { resources } },
      });
      await until(async () => expect(await configMap('orphan-goes')).toBeUndefined());

      await arena.client.delete(COMPOSITIONS, keyOf(owner));
      await until(async () => expect(await world.find(owner)).toBeUndefined());
      expect(await configMap('orphan-stays')).toBeDefined();
    });

    test('an object stays that an override no longer reconciles, and slices of no synthesis are deleted', async () => {
      const owner = await compose('left', { spec: { synthesizer: { name: 'none' } } });
      const first = await slice(owner, [
        config('left', { a: '1' }, { overrides: OVERRIDES }),
        config('not-left', {}),
      ]);
      await publish(owner, { currentSynthesis: synthesis('1', 'left-1') });
      await untilStates(first, [{ reconciled: true }, { reconciled: true }]);

      await world.setData('left', { leave: 'yes' });
      const second = await slice(owner, [config('new', { a: '1' })], 'left-2');
      await publish(owner, {
        currentSynthesis: synthesis('2', 'left-2'),
        previousSynthesis: synthesis('1', 'left-1'),
      });
      await untilStates(second, [{ reconciled: true }]);
      await until(async () => expect(await configMap('not-left')).toBeUndefined());
      expect(await configMap('left')).toBeDefined();
      expect(await ignoreNotFound(arena.client.get(RESOURCE_SLICES, keyOf(first)))).toBeDefined();

      const third = await slice(owner, [config('new', { a: '2' })], 'left-3');
      await publish(owner, {
        currentSynthesis: synthesis('3', 'left-3'),
        previousSynthesis: synthesis('2', 'left-2'),
      });
      await untilStates(third, [{ reconciled: true }]);
      await ended(first);
      expect(await configMap('left')).toBeDefined();

      await arena.client.delete(COMPOSITIONS, keyOf(owner));
      await ended(second);
      await ended(third);
      expect(await configMap('new')).toBeUndefined();
    });

    test('OWN-T108 an object that was released to a Composition goes with it, even if that never applied it', async () => {
      const first = await compose('early');
      const early = await slice(first, [config('heritage', { a: '1' })]);
      const heir = await compose('heir', { spec: { synthesizer: { name: 'none' } } });
      // Its synthesis is still to come: no status lists the slice.
      const late = await slice(heir, [config('heritage', { a: '1' })]);
      await untilStates(early, [{ reconciled: true }]);
      const before = await configMap('heritage');

      await arena.client.delete(COMPOSITIONS, keyOf(first));
      await ended(early);
      expect((await configMap('heritage'))?.metadata.uid).toBe(before?.metadata.uid);
      const { status } = await arena.client.get(RESOURCE_SLICES, keyOf(late));
      expect(status).toMatchObject({ inventory: [{ kind: 'ConfigMap', name: 'heritage' }] });

      const other = await slice(heir, [config('heir-only', {})], 'heir-2');
      await publish(heir, { currentSynthesis: synthesis('2', 'heir-2') });
      await untilStates(other, [{ reconciled: true }]);
      await until(async () => expect(await configMap('heritage')).toBeUndefined());
    });

    test('OWN-T109 an object that was released to a synthesis to come stays until that is there', async () => {
      const first = await compose('former');
      const former = await slice(first, [config('coming', { a: '1' })]);
      await untilStates(former, [{ reconciled: true }]);
      const next = await compose('next', { spec: { synthesizer: { name: 'none' } } });
      const present = await slice(next, [config('next-only', {})]);
      await publish(next, { currentSynthesis: synthesis('1', 'next-1'), inFlightSynthesis: { uuid: '2' } });
      await untilStates(present, [{ reconciled: true }]);
      const body = { spec: { synthesisUUID: '2' } } as never;
      const made = await slice(next, [config('coming', { a: '1' })], 'next-2');
      await arena.client.patch(RESOURCE_SLICES, keyOf(made), { type: 'merge', body });
      const before = await configMap('coming');

      await arena.client.delete(COMPOSITIONS, keyOf(first));
      await ended(former);
      await publish(next, {
        currentSynthesis: synthesis('2', 'next-2'),
        previousSynthesis: synthesis('1', 'next-1'),
        inFlightSynthesis: null,
      });
      await untilStates(made, [{ reconciled: true }]);
      expect((await configMap('coming'))?.metadata.uid).toBe(before?.metadata.uid);
    });

    test('an object is on record once an override lets it be reconciled, and goes with its Composition', async () => {
      const allowed = JSON.stringify([
        {
          path: "self.metadata.annotations['eno.azure.io/disable-reconciliation']",
          value: 'false',
          condition: 'has(composition.metadata.annotations.allowed)',
        },
      ]);
      const owner = await compose('allowed');
      const disabled = { 'disable-reconciliation': 'true', overrides: allowed };
      const written = await slice(owner, [config('allowed', { a: '1' }, disabled)]);
      await untilStates(written, [{ reconciled: true, deleted: true }]);
      expect(await configMap('allowed')).toBeUndefined();

      await annotate(owner, { allowed: 'yes' });
      await until(async () => expect(await configMap('allowed')).toMatchObject({ data: { a: '1' } }));
      await arena.client.delete(RESOURCE_SLICES, keyOf(written));
      await until(async () => expect(await configMap('allowed')).toBeUndefined());
    });
  });
}
