import { ignoreNotFound, keyOf } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { type Manifest, RESOURCE_SLICES } from './api.ts';
import { configMap } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const DELETES = { op: 'add', path: '/metadata/deletionTimestamp', value: 'now' };

/** A Patch and a manifest of the same object, one after the other, on any server. */
export function patchOrderContract(server: () => ServerUnderTest): void {
  describe('a Patch before or after the manifest of its object', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap: find, slice, until, untilStates } = world;
    const patch = (name: string, group: string, ops: readonly object[]): Manifest => {
      const annotations = { 'eno.azure.io/readiness-group': group };
      const metadata = { name, namespace: arena.namespace, annotations };
      const target = { apiVersion: 'v1', kind: 'ConfigMap', ops };
      return {
        manifest: JSON.stringify({ apiVersion: 'eno.azure.io/v1', kind: 'Patch', metadata, patch: target }),
      };
    };
    const inGroup = (group: string) => ({ 'readiness-group': group });
    /** Has the operator look at all manifests once more, and waits until it has. */
    const lookAgain = async (of: KubeObject, name: string): Promise<void> => {
      const key = keyOf(of);
      const { spec } = await arena.client.get(RESOURCE_SLICES, key);
      const annotated = spec?.resources ?? [];
      const resources = [...annotated, config(name, {}, inGroup('9'))];
      await arena.client.patch(RESOURCE_SLICES, key, { type: 'merge', body: { spec: { resources } } });
      await untilStates(
        of,
        resources.map(() => ({ reconciled: true })),
      );
    };

    test('one that deletes does so before the object is created, and not again', async () => {
      const before = await arena.create(configMap('hooked', { old: '1' }), 'somebody');
      const owner = await compose('hooked', {
        metadata: { annotations: { 'eno.azure.io/reconcile-interval': '1s' } },
      });
      const written = await slice(owner, [
        config('hooked', { a: '1' }, inGroup('2')),
        patch('hooked', '1', [DELETES]),
      ]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true, deleted: true }]);
      const created = await find('hooked');
      expect(created).toMatchObject({ data: { a: '1' } });
      expect(created?.metadata.uid).not.toBe(before.metadata.uid);

      // Drift is corrected, so the operator has looked at the slice again.
      await world.setData('hooked', { a: '2' });
      await until(async () => expect(await find('hooked')).toMatchObject({ data: { a: '1' } }));
      expect((await find('hooked'))?.metadata.uid).toBe(created?.metadata.uid);
    });

    test('one that deletes later does so for good', async () => {
      const strategy = {
        'eno.azure.io/deletion-strategy': 'orphan',
        'eno.azure.io/reconcile-interval': '1s',
      };
      const owner = await compose('brief', { metadata: { annotations: strategy } });
      const written = await slice(owner, [
        config('brief', { a: '1' }, inGroup('1')),
        patch('brief', '2', [DELETES]),
        config('beside-brief', { a: '1' }, inGroup('3')),
      ]);
      await untilStates(written, [
        { reconciled: true },
        { reconciled: true, deleted: true },
        { reconciled: true },
      ]);
      expect(await find('brief')).toBeUndefined();

      // Drift of the last one is corrected, so the operator has looked at those before it again.
      arena.writes();
      await world.setData('beside-brief', { a: '2' });
      await until(async () => expect(await find('beside-brief')).toMatchObject({ data: { a: '1' } }));
      expect(arena.writes().filter((line) => /\/configmaps\/brief([/?]|$)/.test(line))).toEqual([]);
    });

    test('one of a later group changes what the manifest applies, and stays', async () => {
      const written = await slice(await compose('amended'), [
        config('amended', { a: '1' }, inGroup('1')),
        patch('amended', '2', [{ op: 'replace', path: '/data/a', value: '2' }]),
      ]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }]);
      await until(async () => expect(await find('amended')).toMatchObject({ data: { a: '2' } }));
    });

    test('an object whose manifest becomes a Patch stays, and is the Composition’s no longer', async () => {
      const owner = await compose('turned');
      const written = await slice(owner, [config('turned', { a: '1' })]);
      await untilStates(written, [{ reconciled: true }]);
      const { uid } = (await find('turned'))?.metadata ?? {};

      const resources = [patch('turned', '0', [{ op: 'replace', path: '/data/a', value: '2' }])];
      await arena.client.patch(RESOURCE_SLICES, keyOf(written), {
        type: 'merge',
        body: { spec: { resources } },
      });
      await until(async () =>
        expect(await find('turned')).toMatchObject({ data: { a: '2' }, metadata: { uid } }),
      );
      await until(async () =>
        expect(
          (await ignoreNotFound(arena.client.get(RESOURCE_SLICES, keyOf(written))))?.status,
        ).not.toHaveProperty('inventory'),
      );
      await lookAgain(written, 'turned-later');
      expect((await find('turned'))?.metadata.uid).toBe(uid);
    });
  });
}
