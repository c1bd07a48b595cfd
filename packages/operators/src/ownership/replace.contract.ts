import { describe, expect, test } from 'vitest';
import { configMap, container, deployment, names } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

/** Manifests that replace the whole object, on any server. */
export function replaceContract(server: () => ServerUnderTest): void {
  describe('a manifest that replaces', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap: find, setData, slice, until, untilStates } = world;
    const replace = { 'eno.azure.io/replace': 'true' };
    const writesTo = (name: string) => arena.writes().filter((write) => write.includes(`/${name}`));

    test('takes what others added, keeps finalizers that it does not mention, and then writes nothing', async () => {
      await arena.create(
        configMap('whole', { a: '1', theirs: '1' }, { finalizers: ['example.com/x'] }),
        'helm',
      );
      const written = await slice(await compose('whole'), [
        config('whole', { a: '2' }, { replace: 'true', 'reconcile-interval': '1s' }),
      ]);
      await untilStates(written, [{ reconciled: true, ready: expect.any(String) }]);
      const after = await find('whole');
      expect(after).toMatchObject({ data: { a: '2' }, metadata: { finalizers: ['example.com/x'] } });
      expect(after?.['data']).not.toHaveProperty('theirs');

      await setData('whole', { late: '1' });
      await until(async () => expect((await find('whole'))?.['data']).toEqual({ a: '2' }));
      await arena.patch(configMap('whole'), { metadata: { finalizers: null } }, 'helm', { type: 'merge' });
    });

    test('creates what does not exist', async () => {
      const written = await slice(await compose('made'), [config('made', { a: '1' }, { replace: 'true' })]);
      await untilStates(written, [{ reconciled: true }]);
      expect(await find('made')).toMatchObject({ data: { a: '1' } });
    });

    test('a second pass writes nothing', async () => {
      const object = configMap('again', { a: '1' }, { annotations: replace });
      await arena.create(configMap('again', { b: '1' }), 'helm');
      const first = await arena.reconcile(object);
      expect(first.state).toMatchObject({ reconciled: true });
      arena.writes();

      expect((await arena.reconcile(object, {}, first.state)).reason).toBe('InSync');
      expect(writesTo('again')).toEqual([]);
    });

    test('what the server rejects is reported', async () => {
      const data = { a: '1' };
      await arena.create({ ...configMap('immutable', data), immutable: true }, 'helm');
      arena.writes();
      const changed = configMap('immutable', { a: '2' }, { annotations: replace });

      const { state } = await arena.reconcile(changed);
      expect(state).toMatchObject({ reconciled: false });
      expect(state.reconciliationError).toContain('immutable');
      expect(writesTo('immutable')).toEqual([]);
    });
  });

  describe('ownership of a Deployment that is replaced', () => {
    const { arena } = useCompositions(server, { apiGroups: ['apps'], resources: ['deployments'] });

    test('OWN-T53 no ownership is moved: an item that two own is removed by one PUT', async () => {
      const init = [container('setup', 'b:1', { command: ['sh'] })];
      await arena.create(deployment('t53', { init }), 'Go-http-client');
      await arena.apply(deployment('t53', { init: [container('setup', 'b:2')] }), 'eno');
      arena.writes();
      const wanted = deployment('t53');
      const annotations = { 'eno.azure.io/replace': 'true' };
      const { state } = await arena.reconcile({ ...wanted, metadata: { ...wanted.metadata, annotations } });

      expect(state).toMatchObject({ reconciled: true });
      expect(state).not.toHaveProperty('ownership');
      const writes = arena.writes().filter((write) => write.includes('/deployments/t53'));
      expect(writes).toEqual([expect.stringMatching(/^PUT /)]);
      expect(names(await arena.get(deployment('t53')), 'spec.template.spec.initContainers')).toEqual([]);
    });
  });
}
