import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { valueAt } from '../kit/testing/value-at.ts';
import { configMap, container, deployment, fieldsOf } from './testing/objects.ts';
import { type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const INIT = 'spec.template.spec.initContainers';
const setup = container('setup', 'setup:1');

/** When ownership is moved, and when there is nothing to move, on any server. */
export function detectionContract(server: () => ServerUnderTest): void {
  describe('detection of shared fields', () => {
    const arena = useArena(server);
    const versionOf = async (object: KubeObject) => (await arena.get(object)).metadata.resourceVersion;

    test('OWN-T5 what only eno owns goes with one apply', async () => {
      await arena.apply(deployment('t5', { init: [setup] }), 'eno');
      arena.writes();

      const { state } = await arena.reconcile(deployment('t5'));

      expect(state).toMatchObject({ reconciled: true });
      expect(state.ownership).toBeUndefined();
      expect(arena.writes()).toHaveLength(1);
      expect(valueAt(await arena.get(deployment('t5')), INIT)).toBeUndefined();
    });

    test('OWN-T6 a list item that another manager owns too is moved, and nothing else of that manager', async () => {
      const command = { command: ['sh'] };
      await arena.create(
        deployment('t6', { init: [{ ...setup, ...command }], labels: { tier: 'web' } }),
        'tool',
      );
      await arena.apply(deployment('t6', { init: [setup] }), 'eno');

      const { state } = await arena.reconcile(deployment('t6'));

      const ownership = { state: 'Moved', managers: ['tool (Update)'], paths: [`.${INIT}[name="setup"]`] };
      expect(state).toMatchObject({ reconciled: true, ownership });
      const after = await arena.get(deployment('t6'));
      expect(valueAt(after, INIT)).toBeUndefined();
      expect(JSON.stringify(fieldsOf(after, 'tool', 'Update'))).toContain('f:tier');
    });

    test('OWN-T7 a manager that owns only the list does not block the removal of its item', async () => {
      const { metadata } = await arena.apply(deployment('t7', { init: [setup] }), 'eno');
      const list = { 'f:spec': { 'f:template': { 'f:spec': { 'f:initContainers': { '.': {} } } } } };
      const entry = { manager: 'tool', operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1' };
      const entries = [...(metadata.managedFields ?? []), { ...entry, fieldsV1: list }];
      await arena.rewrite(deployment('t7'), entries);
      arena.writes();

      const { state } = await arena.reconcile(deployment('t7'));

      expect(state.ownership).toBeUndefined();
      expect(arena.writes()).toHaveLength(1);
      expect(valueAt(await arena.get(deployment('t7')), INIT)).toBeUndefined();
    });

    test('OWN-T8 an Update entry of our own name is moved in mode adopt, and a second pass writes nothing', async () => {
      await arena.create(deployment('t8'), 'eno');
      await arena.apply(deployment('t8'), 'eno');

      const { state } = await arena.reconcile(deployment('t8'), { mode: 'adopt', allowPrune: true });
      const version = await versionOf(deployment('t8'));
      arena.writes();
      await arena.reconcile(deployment('t8'), { mode: 'adopt', allowPrune: true }, state);

      expect(state.ownership).toMatchObject({ state: 'Moved', managers: ['eno (Update)'] });
      expect(arena.writes()).toEqual([]);
      expect(await versionOf(deployment('t8'))).toBe(version);
    });

    test('OWN-T9 a scope that the object does not have moves nothing', async () => {
      await arena.create(deployment('t9'), 'tool');
      await arena.apply(deployment('t9'), 'eno');
      arena.writes();
      const scopes = [['spec.template.spec.ephemeralContainers']];

      const { state } = await arena.reconcile(deployment('t9'), { mode: 'adopt', scopes });

      expect(state).toMatchObject({ reconciled: true });
      expect(state.ownership).toBeUndefined();
      expect(arena.writes()).toEqual([]);
    });

    test('OWN-T10 an object that does not exist is created with one write', async () => {
      const { state } = await arena.reconcile(configMap('t10', { a: '1' }));

      expect(state).toMatchObject({ reconciled: true });
      expect(arena.writes().filter((write) => write.includes('/t10'))).toHaveLength(1);
      expect(valueAt(await arena.get(configMap('t10')), 'data.a')).toBe('1');
    });

    test('OWN-T11 an object that is being deleted is left alone', async () => {
      const finalizers = ['example.com/hold'];
      await arena.create(configMap('t11', { a: '1' }, { finalizers }), 'tool');
      await arena.apply(configMap('t11', { a: '1' }), 'eno');
      const ref = { group: '', version: 'v1', kind: 'ConfigMap' };
      await arena.client.delete(ref, { namespace: arena.namespace, name: 't11' });
      arena.writes();

      const { state } = await arena.reconcile(configMap('t11'));

      expect(state).toMatchObject({ reconciled: false });
      expect(arena.writes()).toEqual([]);
      await arena.patch(configMap('t11'), { metadata: { finalizers: null } }, 'tool', { type: 'merge' });
    });

    test('OWN-T24 an atomic field is moved as a whole, and a scope below it selects nothing', async () => {
      const nodeSelector = { disk: 'ssd' };
      await arena.create(deployment('t24', { pod: { nodeSelector } }), 'tool');
      await arena.apply(deployment('t24', { pod: { nodeSelector } }), 'eno');
      arena.writes();
      const below = { scopes: [['spec.template.spec.nodeSelector.disk']] };

      const outside = await arena.reconcile(deployment('t24', { pod: { nodeSelector } }), {
        mode: 'adopt',
        ...below,
      });
      expect(outside.state.ownership).toBeUndefined();
      expect(arena.writes()).toEqual([]);

      const { state } = await arena.reconcile(deployment('t24'));
      expect(state.ownership).toMatchObject({ state: 'Moved', paths: ['.spec.template.spec.nodeSelector'] });
      expect(valueAt(await arena.get(deployment('t24')), 'spec.template.spec.nodeSelector')).toBeUndefined();
    });

    test('OWN-T43 a manager that is left with nothing is left out, and the list of entries is not empty', async () => {
      await arena.apply(configMap('t43', { a: '1', b: '2' }), 'eno');
      await arena.apply(configMap('t43', { b: '2' }), 'tool');

      await arena.reconcile(configMap('t43', { a: '1' }));

      const after = await arena.get(configMap('t43'));
      expect(after.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['eno']);
      expect(valueAt(after, 'data')).toEqual({ a: '1' });
    });
  });
}
