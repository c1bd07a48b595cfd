import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from './api.ts';
import { valueAt } from '../kit/testing/value-at.ts';
import { container, deployment, fieldsOf, names } from './testing/objects.ts';
import { type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const INIT = 'spec.template.spec.initContainers';

/** Handing ownership over before a manifest leaves fields out, on any server. */
export function releaseContract(server: () => ServerUnderTest): void {
  describe('ownership that is released', () => {
    const arena = useArena(server);
    const release = { mode: 'release', releaseTo: 'autoscaler' } as const;
    const replicas = (object: KubeObject): unknown => valueAt(object, 'spec.replicas');

    test('a field that a manifest leaves out keeps its value, and a second pass writes nothing', async () => {
      await arena.apply(deployment('kept', {}, { replicas: 3 }), 'eno');
      arena.writes();

      const { state } = await arena.reconcile(deployment('kept'), release);

      expect(state).toMatchObject({
        reconciled: true,
        ownership: { state: 'Moved', message: 'released to autoscaler (Update): .spec.replicas' },
      });
      const after = await arena.get(deployment('kept'));
      expect(replicas(after)).toBe(3);
      expect(fieldsOf(after, 'autoscaler', 'Update')).toEqual({ 'f:spec': { 'f:replicas': {} } });
      expect(JSON.stringify(fieldsOf(after, 'eno', 'Apply'))).not.toContain('f:replicas');
      arena.writes();
      await arena.reconcile(deployment('kept'), release, state);
      expect(arena.writes()).toEqual([]);
    });

    test('without it, the server resets the field to its default', async () => {
      await arena.apply(deployment('reset', {}, { replicas: 3 }), 'eno');
      await arena.reconcile(deployment('reset'));
      expect(replicas(await arena.get(deployment('reset')))).toBe(1);
    });

    test('a list item goes to the manager that applies already, with all its fields', async () => {
      const setup = container('setup', 'setup:1', { command: ['sh'] });
      await arena.apply(deployment('item', { init: [setup], labels: { a: '1' } }), 'eno');
      await arena.apply(deployment('item', { labels: { b: '1' } }), 'platform');

      const { state } = await arena.reconcile(deployment('item', { labels: { a: '1' } }), {
        ...release,
        releaseTo: 'platform',
      });

      expect(state).toMatchObject({ reconciled: true });
      const after = await arena.get(deployment('item'));
      expect(names(after, INIT)).toEqual(['setup']);
      expect(JSON.stringify(fieldsOf(after, 'platform', 'Apply'))).toContain('f:command');
      expect(JSON.stringify(fieldsOf(after, 'eno', 'Apply'))).not.toContain('initContainers');
      await arena.apply(deployment('item', { labels: { b: '1' } }), 'platform');
      expect(valueAt(await arena.get(deployment('item')), INIT)).toBeUndefined();
    });

    test('only what is in scope is released', async () => {
      await arena.apply(deployment('scoped', {}, { replicas: 3, minReadySeconds: 5 }), 'eno');
      await arena.reconcile(deployment('scoped'), { ...release, scopes: [['spec.replicas']] });
      const after = await arena.get(deployment('scoped'));
      expect(replicas(after)).toBe(3);
      expect(valueAt(after, 'spec.minReadySeconds')).toBeUndefined();
    });

    test('without a manager to release to, nothing is written and the annotation is named', async () => {
      await arena.apply(deployment('nobody', {}, { replicas: 3 }), 'eno');
      const { state } = await arena.reconcile(deployment('nobody'), { mode: 'release' });
      expect(state.reconciled).toBe(false);
      expect(state.reconciliationError).toContain(ANNOTATIONS.releaseTo);
      expect(replicas(await arena.get(deployment('nobody')))).toBe(3);
    });
  });
}
