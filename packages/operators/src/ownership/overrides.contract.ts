import { ignoreNotFound, keyOf } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { COMPOSITIONS, type Manifest, RESOURCE_SLICES } from './api.ts';
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

    const replaceManifests = (of: KubeObject, resources: readonly Manifest[]): Promise<unknown> =>
      arena.client.patch(RESOURCE_SLICES, keyOf(of), { type: 'merge', body: { spec: { resources } } });
    const writesTo = (name: string): readonly string[] =>
      arena.writes().filter((line) => new RegExp(`/configmaps/${name}([/?]|$)`).test(line));

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

    test('a Patch of what a manifest of the object applies is reported, and neither is written again', async () => {
      const owner = await compose('contrary');
      const both = [
        config('contrary', { a: '1' }),
        patch('contrary', [{ op: 'add', path: '/data/a', value: '2' }]),
      ];
      const written = await slice(owner, both);
      const conflict = { reconciled: false, reconciliationError: expect.stringContaining('data.a') };
      await untilStates(written, [{ reconciled: true }, conflict]);

      arena.writes();
      await replaceManifests(written, [...both, config('contrary-later', {})]);
      await untilStates(written, [{ reconciled: true }, conflict, { reconciled: true }]);

      expect(await find('contrary')).toMatchObject({ data: { a: '1' } });
      expect(writesTo('contrary')).toEqual([]);
    });

    test('a Patch of other fields of the object of a manifest stays beside it', async () => {
      const owner = await compose('beside');
      const both = [
        config('beside', { a: '1' }),
        patch('beside', [{ op: 'add', path: '/data/b', value: '2' }]),
      ];
      const written = await slice(owner, both);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }]);
      await until(async () => expect(await find('beside')).toMatchObject({ data: { a: '1', b: '2' } }));

      arena.writes();
      await replaceManifests(written, [...both, config('beside-later', {})]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }, { reconciled: true }]);

      expect(await find('beside')).toMatchObject({ data: { a: '1', b: '2' } });
      expect(writesTo('beside')).toEqual([]);
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
