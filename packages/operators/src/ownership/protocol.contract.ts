import type { KubeObject, ManagedFieldsEntry } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { AnyKindApi } from '../kit/any-kind-api.ts';
import { configMap, container, deployment, fieldsOf, names } from './testing/objects.ts';
import { type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const INIT = 'spec.template.spec.initContainers';

/** What becomes of a rewrite when others write at the same time, on any server. */
export function protocolContract(server: () => ServerUnderTest): void {
  describe('the writes of a migration', () => {
    const arena = useArena(server);
    const managersOf = ({ metadata }: KubeObject) => metadata.managedFields?.map(({ manager }) => manager);
    const writesTo = (name: string) => arena.writes().filter((write) => write.includes(`/${name}`));

    test('OWN-T39 an object that changes before the rewrite is planned again, and the new claim stays', async () => {
      const setup = container('setup', 'b:1', { command: ['sh'] });
      await arena.create(deployment('t39', { init: [setup] }), 'Go-http-client');
      await arena.apply(deployment('t39', { init: [container('setup', 'b:2')] }), 'eno');
      const label = { metadata: { labels: { late: '1' } } };
      const race = () => arena.patch(deployment('t39'), label, 'racer', { type: 'merge' });
      arena.writes();

      const { state, events } = await arena.reconcileAfter(race, deployment('t39'));

      const after = await arena.get(deployment('t39'));
      expect(state).toMatchObject({ reconciled: true, ownership: { state: 'Moved' } });
      expect(names(after, INIT)).toEqual([]);
      expect(after.metadata.labels).toEqual({ late: '1' });
      expect(JSON.stringify(fieldsOf(after, 'racer'))).toContain('f:late');
      expect(events.map(({ reason }) => reason)).toEqual(['OwnershipMigrated']);
      // The racer's, the rewrite that met it, the one that did not, and the apply.
      expect(writesTo('deployments/t39')).toHaveLength(4);
    });

    test('OWN-T41 a rewrite that the server ignores is reported, and neither repeated nor followed by an apply', async () => {
      await arena.apply(configMap('t41', { x: '1', y: '1' }), 'eno');
      const before = await arena.apply(configMap('t41', { y: '1' }), 'other');
      arena.writes();

      const { state, reason, requeueAfter } = await arena.reconcileThrough(
        withUndecodableEntry,
        configMap('t41', { x: '1' }),
      );

      expect({ reason, requeueAfter }).toEqual({ reason: 'RewriteIgnored', requeueAfter: 60_000 });
      expect(state).toMatchObject({ reconciled: false });
      expect(arena.accepted().filter((write) => write.includes('configmaps/t41'))).toHaveLength(1);
      expect(await arena.get(before)).toEqual(before);
    });

    test('OWN-T45 an object without owners gets ours in one rewrite, and a removal works', async () => {
      const data = { x: '1', y: '1' };
      await arena.rewrite(await arena.create(configMap('t45', data), 'legacy'), [{}]);
      arena.writes();

      const { state } = await arena.reconcile(configMap('t45', data));
      expect(state).toMatchObject({ reconciled: true });
      expect(writesTo('configmaps/t45')).toHaveLength(1);
      expect(managersOf(await arena.get(configMap('t45')))).toEqual(['eno']);

      await arena.reconcile(configMap('t45', { x: '1' }));
      expect(await arena.get(configMap('t45'))).toMatchObject({ data: { x: '1' } });
      expect((await arena.get(configMap('t45')))['data']).toEqual({ x: '1' });
    });

    test('OWN-T45 adopting an object without owners takes what the manifest lacks too, once that is allowed', async () => {
      await arena.rewrite(await arena.create(configMap('t45b', { x: '1', y: '1' }), 'legacy'), [{}]);
      const policy = { mode: 'adopt', scopes: [['data']] } as const;

      const blocked = await arena.reconcile(configMap('t45b', { x: '1' }), policy);
      expect(blocked.state.reconciliationError).toBe('adopting would remove or reset .data.y');
      expect(managersOf(await arena.get(configMap('t45b'))) ?? []).toEqual([]);

      await arena.reconcile(configMap('t45b', { x: '1' }), { ...policy, allowPrune: true });
      const after = await arena.get(configMap('t45b'));
      expect(after['data']).toEqual({ x: '1' });
      expect(managersOf(after)).toEqual(['eno']);
    });

    test('OWN-T50 what an applier claims again after each move is contested after the third, and left shared', async () => {
      const data = { a: '1' };
      const theirs = () => arena.apply(configMap('t50', data), 'other');
      const moves = async (state: object) =>
        arena.reconcile(configMap('t50', data), { mode: 'adopt' }, state);
      await theirs();
      let last = await moves({});
      for (const times of [2, 3]) {
        await theirs();
        last = await moves(last.state);
        expect(last.state.ownership).toMatchObject({ state: 'Moved', times });
      }
      await theirs();
      arena.writes();

      last = await moves(last.state);
      expect(last.state).toMatchObject({ reconciled: true, ownership: { state: 'Contested' } });
      expect(last.state.ownership?.message).toContain('other (Apply) claimed again');
      expect(last.events).toMatchObject([{ type: 'Warning', reason: 'OwnershipContested' }]);
      const { resourceVersion } = (await arena.get(configMap('t50'))).metadata;
      await theirs();
      const again = await moves(last.state);
      expect(again).toMatchObject({ state: last.state, events: [] });
      expect((await arena.get(configMap('t50'))).metadata.resourceVersion).toBe(resourceVersion);

      // Values are applied all the same.
      await arena.reconcile(configMap('t50', { a: '2' }), { mode: 'adopt' }, last.state);
      expect(await arena.get(configMap('t50'))).toMatchObject({ data: { a: '2' } });
    });
  });
}

/** A way on which one entry of a rewrite loses its apiVersion: a server cannot decode it, and keeps all as it is. */
function withUndecodableEntry(api: AnyKindApi): AnyKindApi {
  return {
    ...api,
    patchJson(ref, [rewrite, ...guards], options) {
      const { value, ...operation } = rewrite as { readonly value: readonly ManagedFieldsEntry[] };
      const [{ apiVersion: _lost, ...broken } = {}, ...entries] = value;
      return api.patchJson(ref, [{ ...operation, value: [broken, ...entries] }, ...guards], options);
    },
  };
}
