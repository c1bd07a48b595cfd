import { keyOf } from '@kubewright/client';
import { type KubeObject, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { afterAll, describe, expect, test } from 'vitest';
import { type Composition, type Manifest, RESOURCE_SLICES } from './api.ts';
import { actionsOn } from './testing/actions-on.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { type Compositions, useCompositions } from './testing/use-compositions.ts';

const NAMESPACES = { group: '', version: 'v1', kind: 'Namespace' };

/** Objects that several Compositions have. On any server. */
export function sharedObjectsContract(server: () => ServerUnderTest): void {
  describe('an object that another Composition has too', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap, slice, states, until, untilStates } = world;
    const isReady = (owner: KubeObject): Promise<unknown> =>
      until(async () => expect((await world.composition(owner)).status?.simplified?.status).toBe('Ready'));
    const both = async (name: string, ...data: readonly Readonly<Record<string, string>>[]) => {
      const parts = [];
      for (const [index, one] of data.entries()) {
        const owner = await compose(`${name}-${index}`);
        parts.push({
          owner,
          slice: await slice(owner, [config(name, one), config(`${name}-own-${index}`, {})]),
        });
      }
      const [first, second] = parts;
      if (first === undefined || second === undefined) throw new TypeError('name two');
      return { first, second };
    };
    const { remove, untilGone, drop, events } = actionsOn(world);

    test('OWN-T56 dropped from one of them, it stays, and is reported as released', async () => {
      const { first, second } = await both('dropped', { a: '1' }, { a: '1' });
      await isReady(first.owner);
      await isReady(second.owner);
      const before = await configMap('dropped');

      await drop(first.slice, 'dropped');
      const released = {
        conditions: [
          {
            type: 'ObjectsReleased',
            status: 'True',
            message: expect.stringContaining(`Composition ${arena.namespace}/dropped-1`) as string,
          },
        ],
      };
      await until(async () => expect((await world.composition(first.owner)).status).toMatchObject(released));
      expect((await configMap('dropped'))?.metadata.uid).toBe(before?.metadata.uid);
      expect((await arena.client.get(RESOURCE_SLICES, keyOf(first.slice))).status).toMatchObject({
        inventory: [{ name: 'dropped-own-0' }],
        released: [{ kind: 'ConfigMap', name: 'dropped' }],
      });
      await until(async () => expect(await events(first.slice)).toContain('Released'));

      await drop(second.slice, 'dropped');
      await until(async () => expect(await configMap('dropped')).toBeUndefined());
    });

    test('OWN-T57 when one of them is deleted, it stays, also across namespaces', async () => {
      const namespace = `${arena.namespace}-2`;
      await arena.client.create(NAMESPACES, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      afterAll(() => arena.client.delete(NAMESPACES, { name: namespace }));
      const near = await compose('near');
      const far = await compose('far', { metadata: { name: 'far', namespace } });
      const nearSlice = await slice(near, [config('spread', { a: '1' })]);
      const farSlice = await sliceIn(world, namespace, far, [config('spread', { a: '1' })]);
      await untilStates(nearSlice, [{ reconciled: true }]);
      await untilStates(farSlice, [{ reconciled: true }]);
      const before = await configMap('spread');

      await remove(near);
      await untilGone(near);
      expect((await configMap('spread'))?.metadata.uid).toBe(before?.metadata.uid);

      await remove(far);
      await untilGone(far);
      expect(await configMap('spread')).toBeUndefined();
    });

    test('OWN-T58 when all of them are deleted at once, it goes', async () => {
      const { first, second } = await both('last', { a: '1' }, { a: '1' });
      await isReady(first.owner);
      await isReady(second.owner);

      await Promise.all([remove(first.owner), remove(second.owner)]);
      await untilGone(first.owner);
      await untilGone(second.owner);
      expect(await configMap('last')).toBeUndefined();
    });

    test('OWN-T59 of different values those of the older one count, and both report it', async () => {
      const older = await compose('older');
      const first = await slice(older, [config('values', { a: '1', b: '1' })]);
      await untilStates(first, [{ reconciled: true }]);
      await until(async () =>
        expect(Date.now()).toBeGreaterThan(Date.parse(older.metadata.creationTimestamp ?? '') + 1000),
      );
      const newer = await compose('newer');
      const second = await slice(newer, [config('values', { a: '2', c: '2' })]);

      await untilStates(second, [
        {
          reconciled: false,
          reconciliationError: expect.stringContaining('.data.a: Composition') as string,
          ownership: {
            state: 'Contested',
            managers: [`Composition ${arena.namespace}/older`],
            paths: ['.data.a'],
          },
        },
      ]);
      await untilStates(first, [{ reconciled: true, ownership: { state: 'Contested' } }]);
      for (const owner of [older, newer])
        await until(async () =>
          expect((await world.composition(owner)).status?.conditions).toMatchObject([
            { type: 'OwnershipContested', status: 'True' },
          ]),
        );
      await until(async () =>
        expect(await configMap('values')).toMatchObject({ data: { a: '1', b: '1', c: '2' } }),
      );
      expect((await world.composition(newer)).status?.simplified?.status).toBe('Reconciling');
      expect((await world.composition(older)).status?.simplified?.status).toBe('Ready');

      // Once they agree, nothing is contested, and what nobody has goes.
      await arena.client.patch(RESOURCE_SLICES, keyOf(second), {
        type: 'merge',
        body: { spec: { resources: [config('values', { a: '1' })] } } as never,
      });
      await untilStates(second, [{ reconciled: true }]);
      await until(async () =>
        expect((await configMap('values')) as unknown).toMatchObject({ data: { a: '1', b: '1' } }),
      );
      await until(async () => expect(await configMap('values')).not.toHaveProperty('data.c'));
      expect((await states(second))[0]).not.toHaveProperty('ownership');
    });

    test('OWN-T60 different fields are applied together, and each drops its own', async () => {
      const { first, second } = await both('fields', { a: '1', s: '1' }, { b: '1', s: '1' });
      await isReady(first.owner);
      await isReady(second.owner);
      await until(async () =>
        expect(await configMap('fields')).toMatchObject({ data: { a: '1', b: '1', s: '1' } }),
      );

      await drop(first.slice, 'fields');
      await until(async () => expect((await configMap('fields')) ?? {}).not.toHaveProperty('data.a'));
      expect(await configMap('fields')).toMatchObject({ data: { b: '1', s: '1' } });
    });

    test('OWN-T61 a tombstone does not delete it', async () => {
      const owner = await compose('keeper');
      await untilStates(await slice(owner, [config('kept', { a: '1' })]), [{ reconciled: true }]);
      const before = await configMap('kept');
      const tombstone = { ...config('kept', {}), deleted: true };
      const other = await slice(await compose('killer'), [tombstone]);

      await untilStates(other, [
        {
          reconciled: false,
          reconciliationError: `not deleted, because Composition ${arena.namespace}/keeper has it`,
          ownership: { state: 'Contested' },
        },
      ]);
      expect((await configMap('kept'))?.metadata.uid).toBe(before?.metadata.uid);
    });
  });
}

/** A slice of a Composition in another namespace than the suite's. */
function sliceIn(
  { arena }: Compositions,
  namespace: string,
  owner: Stored<Composition>,
  resources: readonly Manifest[],
): Promise<KubeObject> {
  const ownerReferences = [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
  return arena.client.create(RESOURCE_SLICES, {
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: `${owner.metadata.name}-1`, namespace, ownerReferences },
    spec: { resources },
  });
}
