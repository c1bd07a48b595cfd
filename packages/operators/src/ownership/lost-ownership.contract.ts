import { ignoreNotFound, keyOf } from '@kubewright/client';
import type { JsonObject, KubeObject, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { COMPOSITIONS, RESOURCE_SLICES, type Manifest, type ResourceSlice } from './api.ts';
import { configMap } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

/** Fields that a manifest drops after their ownership was lost, on any server. */
export function lostOwnershipContract(server: () => ServerUnderTest): void {
  describe('fields whose ownership was lost', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap: find, setData, slice, until, untilStates } = world;

    /** A slice whose object has `a` and `b`. */
    async function applied(name: string): Promise<Stored<ResourceSlice>> {
      const written = await slice(await compose(name), [config(name, { a: '1', b: '1' })]);
      await untilStates(written, [{ reconciled: true }]);
      return written;
    }

    async function drop(written: Stored<ResourceSlice>, manifest: Manifest): Promise<void> {
      const body: JsonObject = { spec: { resources: [{ manifest: manifest.manifest ?? '' }] } };
      await arena.client.patch(RESOURCE_SLICES, keyOf(written), { type: 'merge', body });
    }

    const wipe = async (name: string): Promise<KubeObject> => arena.rewrite(configMap(name), [{}]);
    const dataOf = async (name: string) => (await find(name))?.['data'];

    test('OWN-T54 after all ownership was wiped, a field that is dropped is removed', async () => {
      const written = await applied('wiped');
      expect((await wipe('wiped')).metadata.managedFields ?? []).toEqual([]);

      await drop(written, config('wiped', { a: '1' }));
      await until(async () => expect(await dataOf('wiped')).toEqual({ a: '1' }));
      await untilStates(written, [{ reconciled: true }]);
    });

    test('a field that another manager took is removed when the manifest drops it', async () => {
      const written = await applied('taken');
      await setData('taken', { b: '2', theirs: '1' }, 'kubectl-edit');

      await drop(written, config('taken', { a: '1' }));
      await until(async () => expect(await dataOf('taken')).toEqual({ a: '1', theirs: '1' }));
    });

    test('what another manager added, and no manifest ever had, stays', async () => {
      const written = await applied('beside');
      await setData('beside', { theirs: '1' }, 'kubectl-edit');
      await wipe('beside');

      await drop(written, config('beside', { a: '1' }));
      await until(async () => expect(await dataOf('beside')).toEqual({ a: '1', theirs: '1' }));
    });

    test('the slice of a later synthesis takes over what the one before it applied', async () => {
      const owner = await compose('handed', { spec: { synthesizer: { name: 'none' } } });
      const publish = (name: string): Promise<unknown> => {
        const body: JsonObject = {
          status: { currentSynthesis: { uuid: name, resourceSlices: [{ name }] } },
        };
        return until(() =>
          arena.client.patch(COMPOSITIONS, keyOf(owner), { type: 'merge', body }, { subresource: 'status' }),
        );
      };
      const first = await slice(owner, [config('handed', { a: '1', b: '1' })], 'handed-1');
      await publish('handed-1');
      await untilStates(first, [{ reconciled: true }]);
      await setData('handed', { b: '2' }, 'kubectl-edit');

      const second = await slice(owner, [config('handed', { a: '1' })], 'handed-2');
      await publish('handed-2');
      await untilStates(second, [{ reconciled: true }]);
      await until(async () => expect(await dataOf('handed')).toEqual({ a: '1' }));
      // Nothing is left of the first: it is no previous synthesis of the status.
      await until(async () =>
        expect(await ignoreNotFound(arena.client.get(RESOURCE_SLICES, keyOf(first)))).toBeUndefined(),
      );
    });

    test('the Composition says of what ownership was moved, and what blocks', async () => {
      await arena.create(configMap('blocked', { a: '1', b: '1' }), 'helm');
      const written = await applied('blocked');
      const owner = { metadata: { name: 'blocked', namespace: arena.namespace } };
      const sources = { 'migrate-ownership-sources': 'kubectl*' };
      const conditionsOf = async () =>
        (await arena.client.get(COMPOSITIONS, keyOf(owner))).status?.conditions ?? [];

      await drop(written, config('blocked', { a: '1' }, sources));
      await until(async () =>
        expect(await conditionsOf()).toMatchObject([
          {
            type: 'OwnershipBlocked',
            status: 'True',
            reason: 'Unlisted',
            message: expect.stringContaining('helm (Update), which is not a listed source'),
          },
        ]),
      );
      await drop(written, config('blocked', { a: '1' }));
      await until(async () =>
        expect(await conditionsOf()).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ type: 'OwnershipBlocked', status: 'False', reason: 'NothingBlocked' }),
            expect.objectContaining({
              type: 'OwnershipMigrated',
              status: 'True',
              message: `ConfigMap ${arena.namespace}/blocked: moved from helm (Update): .data.b`,
            }),
          ]),
        ),
      );
    });
  });
}
