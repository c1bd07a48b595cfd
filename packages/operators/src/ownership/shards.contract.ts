import { keyOf } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { COMPOSITIONS, type Manifest, RESOURCE_SLICES } from './api.ts';
import { ownershipParts } from './controller.ts';
import { recording, type ServerUnderTest, type Write } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const CONFIG_MAPS = { apiGroups: [''], resources: ['configmaps'] };

/** Several managers, each with its part of the Compositions, on any server. */
export function shardsContract(server: () => ServerUnderTest): void {
  describe('shards', () => {
    // The operator of the suite itself works in a namespace where nothing is.
    const world = useCompositions(server, CONFIG_MAPS, { COMPOSITION_NAMESPACE: 'elsewhere' });
    const { arena, compose, composition, config, configMap, slice, until, untilStates } = world;
    const [a, b] = [useShard(server, 'shard=a'), useShard(server, 'shard=b')];
    const shard = (name: string) => ({ metadata: { labels: { shard: name } } });
    const relabel = (owner: KubeObject, name: string): Promise<unknown> =>
      arena.client.patch(COMPOSITIONS, keyOf(owner), { type: 'merge', body: shard(name) });
    const replaceManifests = (of: KubeObject, resources: readonly Manifest[]): Promise<unknown> =>
      arena.client.patch(RESOURCE_SLICES, keyOf(of), { type: 'merge', body: { spec: { resources } } });

    test('none writes Compositions of another, their slices or their objects', async () => {
      const unselected = await compose('unselected');
      const none = await slice(unselected, [config('unselected', { k: '1' })]);
      const first = await slice(await compose('first', shard('a')), [config('first', { k: '1' })]);
      const second = await slice(await compose('second', shard('b')), [config('second', { k: '1' })]);
      await untilStates(first, [{ reconciled: true }]);
      await untilStates(second, [{ reconciled: true }]);

      expect(a.writesTo('first')).not.toEqual([]);
      expect(b.writesTo('second')).not.toEqual([]);
      expect([...a.writesTo('second'), ...b.writesTo('first')]).toEqual([]);
      expect([...a.writesTo('unselected'), ...b.writesTo('unselected')]).toEqual([]);
      expect(await configMap('unselected')).toBeUndefined();
      // The operators of other suites have no shard.
      await arena.client.delete(RESOURCE_SLICES, keyOf(none));
      await arena.client.delete(COMPOSITIONS, keyOf(unselected));
    });

    test('a Composition with new labels goes to the other shard, as it is', async () => {
      const owner = await compose('moving', shard('a'));
      const written = await slice(owner, [config('moving', { k: '1' })]);
      await until(async () =>
        expect((await composition(owner)).status).toMatchObject({ simplified: { status: 'Ready' } }),
      );

      await relabel(owner, 'b');
      await until(async () => expect(a.labelIn(owner)).toBe('b'));
      a.forget();
      await replaceManifests(written, [config('moving', { k: '2' })]);
      await until(async () => expect(await configMap('moving')).toMatchObject({ data: { k: '2' } }));
      await arena.client.delete(COMPOSITIONS, keyOf(owner));
      await until(async () => expect(await world.find(owner)).toBeUndefined());

      expect(await configMap('moving')).toBeUndefined();
      expect(a.writesTo('moving')).toEqual([]);
    });

    test('what changed while no shard had it is done when it enters one', async () => {
      const owner = await compose('parked', shard('none'));
      const written = await slice(owner, [config('parked', { k: '1' })]);

      await relabel(owner, 'b');

      await untilStates(written, [{ reconciled: true }]);
    });

    test('a Composition may depend on one of another shard', async () => {
      const web = await compose('web', {
        ...shard('b'),
        spec: { dependsOn: [{ name: 'database' }] },
      });
      const written = await slice(web, [config('web', { k: '1' })]);
      await until(async () =>
        expect((await composition(web)).status).toMatchObject({ dependencyStatus: { blocked: true } }),
      );
      await slice(await compose('database', shard('a')), [config('database', { k: '1' })]);

      await untilStates(written, [{ reconciled: true }]);
    });
  });
}

/** A manager with a part of the Compositions. */
function useShard(server: () => ServerUnderTest, selector: string) {
  const log: Write[] = [];
  const operator = useOperator(() => recording(server().transport(), log), ownershipParts, {
    anyKind: CONFIG_MAPS,
    env: { COMPOSITION_LABEL_SELECTOR: selector },
  });
  return {
    /** Its writes to a Composition, ConfigMap or slice `NAME` or `NAME-…`. */
    writesTo: (name: string) => log.filter(({ line }) => new RegExp(`/${name}(-\\d)?([/?]|$)`).test(line)),
    forget: () => void log.splice(0),
    /** The label of a Composition in its cache. */
    labelIn: ({ metadata: { namespace, name } }: Stored) =>
      operator.manager.cache.get(COMPOSITIONS, { namespace, name })?.metadata.labels?.['shard'],
  };
}
