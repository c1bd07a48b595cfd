import { ignoreNotFound, keyOf } from '@kubewright/client';
import { describe, expect, test } from 'vitest';
import { COMPOSITIONS } from './api.ts';
import { configMap } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const EVERY_SECOND = { 'reconcile-interval': '1s' };

/** Manifests that depend on the live object, and Patches of objects that are somebody else's, on any server. */
export function overridesContract(server: () => ServerUnderTest): void {
  describe('overrides and patches', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap: find, setData, slice, until, untilStates } = world;
    const patch = (name: string, ops: readonly object[]) => {
      const metadata = { name, namespace: arena.namespace };
      const target = { apiVersion: 'v1', kind: 'ConfigMap', ops };
      return {
        manifest: JSON.stringify({ apiVersion: 'eno.azure.io/v1', kind: 'Patch', metadata, patch: target }),
      };
    };

    test('an override applies when its condition holds', async () => {
      const owner = await compose('conditional');
      const overrides = [{ path: 'self.data.a', value: '2', condition: "self.data.phase == 'late'" }];
      const annotations = { ...EVERY_SECOND, overrides: JSON.stringify(overrides) };
      await slice(owner, [config('conditional', { a: '1' }, annotations)]);
      await until(async () => expect(await find('conditional')).toMatchObject({ data: { a: '1' } }));

      await setData('conditional', { phase: 'late' });
      await until(async () => expect(await find('conditional')).toMatchObject({ data: { a: '2' } }));
    });

    test('a Patch changes an object that exists, and does not delete it with the Composition', async () => {
      await arena.create(configMap('theirs', { a: '1' }), 'somebody');
      const owner = await compose('patching');
      const written = await slice(owner, [
        patch('theirs', [{ op: 'add', path: '/data/b', value: '2' }]),
        patch('missing', [{ op: 'add', path: '/data/b', value: '2' }]),
      ]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true, deleted: true }]);
      expect(await find('theirs')).toMatchObject({ data: { a: '1', b: '2' } });

      await arena.client.delete(COMPOSITIONS, keyOf(owner));
      await until(async () =>
        expect(await ignoreNotFound(arena.client.get(COMPOSITIONS, keyOf(owner)))).toBeUndefined(),
      );
      expect(await find('theirs')).toBeDefined();
    });

    test('a Patch of the time of deletion deletes', async () => {
      await arena.create(configMap('doomed', { a: '1' }), 'somebody');
      const deletes = { op: 'add', path: '/metadata/deletionTimestamp', value: 'now' };
      const written = await slice(await compose('deleting'), [patch('doomed', [deletes])]);

      await untilStates(written, [{ reconciled: true, deleted: true }]);
      expect(await find('doomed')).toBeUndefined();
    });
  });
}
