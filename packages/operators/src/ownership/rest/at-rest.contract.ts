import { keyOf } from '@kubewright/client';
import { corev1, type Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { COMPOSITIONS, type Manifest, RESOURCE_SLICES, type ResourceSlice } from '../api.ts';
import type { ServerUnderTest } from '../testing/server-under-test.ts';
import { configMap as configMapOf } from '../testing/objects.ts';
import { usePasses } from '../testing/use-passes.ts';

const EVERY_SECOND = { metadata: { annotations: { 'eno.azure.io/reconcile-interval': '1s' } } };
const OBJECTS = 20;

/** What a reconcile of a slice asks of the server when its objects are as the last one left them, on any server. */
export function atRestContract(server: () => ServerUnderTest): void {
  describe('objects at rest', () => {
    const {
      arena,
      compose,
      config,
      configMap,
      passes,
      sent,
      setData,
      slice,
      until,
      untilQuiet,
      untilStates,
    } = usePasses(server);
    const many = (prefix: string, value = '1'): readonly Manifest[] =>
      Array.from({ length: OBJECTS }, (_none, index) => config(`${prefix}-${index}`, { a: value }));
    const applied = async (name: string, resources: readonly Manifest[], parts = EVERY_SECOND) => {
      const written = await slice(await compose(name, parts), resources);
      await untilStates(
        written,
        resources.map(() => ({ reconciled: true })),
      );
      await untilQuiet();
      return written;
    };
    const change = (written: Stored<ResourceSlice>, resources: readonly Manifest[]) =>
      arena.client.patch(RESOURCE_SLICES, keyOf(written), { type: 'merge', body: { spec: { resources } } });
    const stop = (written: Stored<ResourceSlice>) =>
      arena.client.patch(
        COMPOSITIONS,
        { namespace: arena.namespace, name: written.metadata.name.slice(0, -2) },
        { type: 'merge', body: { metadata: { annotations: { 'eno.azure.io/reconcile-interval': null } } } },
      );

    test('OWN-T99 a reconcile of objects at rest sends the server nothing', async () => {
      const written = await applied('rest', many('rest'));
      await passes(3);
      expect(sent()).toEqual([]);
      await stop(written);
    });

    test('OWN-T92 one object of many is changed by somebody else, in what is not ours ⇒ two requests, and no more', async () => {
      const written = await applied('other', many('other'));
      await setData('other-3', { theirs: '1' });
      await passes(2);
      const requests = await untilQuiet();
      expect(requests.map((line) => line.replace(/\?.*dryRun=All.*/, ' dry run'))).toEqual([
        expect.stringMatching(/^GET .*\/configmaps\/other-3$/),
        expect.stringMatching(/^PATCH .*\/configmaps\/other-3 dry run$/),
      ]);
      await stop(written);
    });

    test('OWN-T93 one manifest of many gets another value ⇒ two requests: the apply and the status', async () => {
      const written = await applied('value', many('value'));
      await change(written, [config('value-0', { a: '2' }), ...many('value').slice(1)]);
      await until(async () => expect(await configMap('value-0')).toMatchObject({ data: { a: '2' } }));
      const requests = await untilQuiet();
      expect(requests.filter((line) => !line.includes('/compositions'))).toEqual([
        expect.stringMatching(/^PATCH .*\/configmaps\/value-0\?(?!.*dryRun)/),
        expect.stringMatching(/^PATCH .*\/resourceslices\/value-1\/status/),
      ]);
      await stop(written);
    });

    test('OWN-T94 a manifest drops a field that somebody else claims too ⇒ it is looked at first, and the field goes', async () => {
      const written = await applied('drops', [config('drops', { a: '1', b: '1' }), config('stays', {})]);
      await arena.apply(configMapOf('drops', { b: '1' }), 'somebody');
      await untilQuiet();
      await change(written, [config('drops', { a: '1' }), config('stays', {})]);
      await until(async () => expect((await configMap('drops'))?.['data']).toEqual({ a: '1' }));
      expect((await untilQuiet()).some((line) => line.includes('dryRun=All'))).toBe(true);
      await stop(written);
    });

    test('OWN-T95 what others change or delete comes back, although nothing else changes', async () => {
      const written = await applied('drift', many('drift'));
      await setData('drift-1', { a: '2' });
      await until(async () => expect(await configMap('drift-1')).toMatchObject({ data: { a: '1' } }));
      const key = { namespace: arena.namespace, name: 'drift-2' };
      await arena.client.delete(corev1.configmaps, key);
      await until(async () => expect(await configMap('drift-2')).toMatchObject({ data: { a: '1' } }));
      await stop(written);
    });

    test('OWN-T96 a manager that is restarted looks at every object once', async () => {
      const written = await applied('again', many('again'));
      await arena.operator.restart();
      const requests = [...(await untilQuiet())];
      await passes(2);
      requests.push(...sent());
      const reads = requests.filter((line) => line.startsWith('GET') && line.includes('/configmaps/again-'));
      expect(reads).toHaveLength(OBJECTS);
      await stop(written);
    });
  });
}
