import { keyOf } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { type Manifest, RESOURCE_SLICES } from './api.ts';
import { configMap, container, deployment, names } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const KINDS = { apiGroups: ['', 'apps'], resources: ['configmaps', 'deployments'] };
const INIT = 'spec.template.spec.initContainers';

/** The operator without server-side apply, on any server. */
export function disableSsaContract(server: () => ServerUnderTest): void {
  describe('without server-side apply', () => {
    const world = useCompositions(server, KINDS, { DISABLE_SSA: 'true' });
    const { arena, compose, config, configMap: find, slice, until, untilStates } = world;
    const setManifests = (of: KubeObject, resources: readonly Manifest[]): Promise<unknown> =>
      arena.client.patch(RESOURCE_SLICES, keyOf(of), { type: 'merge', body: { spec: { resources } } });
    const owners = (object: KubeObject | undefined) =>
      (object?.metadata.managedFields ?? [])
        .map(({ manager, operation }) => `${manager} ${operation}`)
        .toSorted();

    test('OWN-T52 what a manifest drops goes, whoever owns it, by one PUT, and what others added stays', async () => {
      const written = await slice(await compose('merged'), [config('merged', { a: '1', b: '1' })]);
      await untilStates(written, [{ reconciled: true }]);
      await arena.apply(configMap('merged', { b: '1', theirs: '1' }), 'other');
      arena.writes();

      await setManifests(written, [config('merged', { a: '2' })]);

      await until(async () => expect((await find('merged'))?.['data']).toEqual({ a: '2', theirs: '1' }));
      await untilStates(written, [{ reconciled: true }]);
      const verbs = arena
        .writes()
        .flatMap((write) => (write.includes('/configmaps/merged') ? [write.split(' ')[0]] : []));
      expect(verbs).toEqual(['PUT']);
      expect(owners(await find('merged'))).toEqual(['eno Update', 'other Apply']);
    });

    test('OWN-T52 so does an init container, and the ownership of others is not moved', async () => {
      const web = (init: readonly string[]): KubeObject => ({
        ...deployment('web', init.length === 0 ? {} : { init: init.map((name) => container(name, 'b:1')) }),
        metadata: { name: 'web', namespace: arena.namespace },
      });
      const manifest = (init: readonly string[]): Manifest => ({ manifest: JSON.stringify(web(init)) });
      const written = await slice(await compose('web'), [manifest(['setup', 'kept'])]);
      await untilStates(written, [{ reconciled: true }]);
      await arena.apply(web(['setup', 'kept']), 'other');

      await setManifests(written, [manifest(['kept'])]);
      await until(async () => expect(names(await arena.get(web([])), INIT)).toEqual(['kept']));
      await setManifests(written, [manifest([])]);
      await until(async () => expect(names(await arena.get(web([])), INIT)).toEqual([]));
      expect(owners(await arena.get(web([])))).toEqual(['eno Update', 'other Apply']);
    });
  });
}
