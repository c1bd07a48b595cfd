import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { configMap, fieldsOf } from './testing/objects.ts';
import { type ServerUnderTest, useArena } from './testing/server-under-test.ts';

/** What becomes of ownership that was moved for an apply that the server then rejects, on any server. */
export function rollbackContract(server: () => ServerUnderTest): void {
  describe('ownership that was moved in vain', () => {
    const arena = useArena(server);
    const frozen = (name: string, data: Readonly<Record<string, string>>): KubeObject => ({
      ...configMap(name, data),
      immutable: true,
    });
    /** A key that another manager owns too; the removal is no longer allowed once it could happen. */
    const shared = async (name: string): Promise<KubeObject> => {
      await arena.apply(frozen(name, { a: '1', b: '1' }), 'eno');
      return arena.apply(configMap(name, { b: '1' }), 'other');
    };

    test('OWN-T49 every entry is as it was, and the same is not tried again', async () => {
      const before = await shared('t49');
      arena.writes();

      const { state, events } = await arena.reconcile(frozen('t49', { a: '1' }));

      expect((await arena.get(before)).metadata.managedFields).toEqual(before.metadata.managedFields);
      expect(arena.writes()).toHaveLength(2);
      expect(state).toMatchObject({
        reconciled: false,
        ownership: { state: 'RolledBack', managers: ['other (Apply)'], paths: ['.data.b'], count: 1 },
      });
      expect(state.reconciliationError).toContain('field is immutable when `immutable` is set');
      expect(events.map(({ reason }) => reason)).toContain('OwnershipRolledBack');

      const again = await arena.reconcile(frozen('t49', { a: '1' }), {}, state);
      expect(again).toMatchObject({ reason: 'RolledBack', state, events: [] });
      expect(arena.writes()).toEqual([]);
    });

    test('OWN-T49 what is moved for another manifest is tried', async () => {
      await shared('another');
      const { state } = await arena.reconcile(frozen('another', { a: '1' }));
      arena.writes();
      const changed = { ...frozen('another', { a: '1' }), metadata: { name: 'another', labels: { x: '1' } } };
      await arena.reconcile(changed, {}, state);
      expect(arena.writes()).toHaveLength(2);
    });

    test('OWN-T49 after another write, only what is still ours is given back', async () => {
      await shared('raced');
      await arena.apply(
        { ...configMap('raced', { a: '1' }), metadata: { name: 'raced', labels: { x: '1' } } },
        'third',
      );
      const relabel = () =>
        arena.patch(configMap('raced', {}), { metadata: { labels: { x: '2' } } }, 'fourth', {
          type: 'merge',
        });

      const { state } = await arena.reconcileAfter(relabel, frozen('raced', { a: '1' }), 2);

      expect(state.ownership?.state).toBe('RolledBack');
      const after = await arena.get(configMap('raced', {}));
      expect(fieldsOf(after, 'other', 'Apply')).toEqual({ 'f:data': { 'f:b': {} } });
      expect(fieldsOf(after, 'eno', 'Apply')).toMatchObject({ 'f:data': { 'f:a': {}, 'f:b': {} } });
      expect(fieldsOf(after, 'fourth')).toEqual({ 'f:metadata': { 'f:labels': { 'f:x': {} } } });
    });
  });
}
