import { randomUUID } from 'node:crypto';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fieldsOf } from './testing/objects.ts';
import { refusal, type ServerUnderTest, useArena } from './testing/server-under-test.ts';

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

const SCHEMA = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'string' } } },
    },
  },
};
const V1 = { name: 'v1', served: true, storage: false, schema: SCHEMA };
const V2 = { name: 'v2', served: true, storage: true, schema: SCHEMA };

/** Ownership at a version that the CustomResourceDefinition no longer has, on any server. */
export function removedVersionContract(server: () => ServerUnderTest): void {
  describe('ownership at a version that was removed', () => {
    const group = `removed-${randomUUID().slice(0, 8)}.example.com`;
    const arena = useArena(server, { apiGroups: [group], resources: ['widgets'] });
    const widget = (name: string, version: string, spec: JsonObject): KubeObject => ({
      apiVersion: `${group}/${version}`,
      kind: 'Widget',
      metadata: { name },
      spec,
    });
    const entriesOf = ({ metadata }: KubeObject) =>
      (metadata.managedFields ?? []).map(({ manager, apiVersion }) => `${manager} ${apiVersion}`).sort();

    beforeAll(async () => {
      await arena.client.create(CRDS, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `widgets.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
          versions: [V1, V2],
        },
      });
      for (const name of ['t48', 't48b', 't48c'])
        await vi.waitFor(() => arena.create(widget(name, 'v1', { color: 'red' }), 'legacy'), {
          timeout: 30_000,
        });
      for (const name of ['t48', 't48b', 't48c']) await arena.apply(widget(name, 'v2', { size: 'l' }), 'eno');
      await arena.client.patch(
        CRDS,
        { name: `widgets.${group}` },
        { type: 'json', body: [{ op: 'remove', path: '/spec/versions/0' }] },
      );
      await vi.waitFor(
        () => expect(arena.get(widget('t48', 'v1', {}))).rejects.toThrow('does not serve'),
        30_000,
      );
    });
    afterAll(async () => {
      await arena.client.delete(CRDS, { name: `widgets.${group}` });
    });

    test('OWN-T48 as it is, every apply fails, and any other write drops all ownership', async () => {
      const refused = await refusal(arena.apply(widget('t48b', 'v2', { size: 'l' }), 'eno', true));
      expect(refused.status).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `request to convert CR to an invalid group/version: ${group}/v1`,
        code: 500,
      });
      const patched = await arena.patch(widget('t48b', 'v2', {}), { spec: { size: 'm' } }, 'tool', {
        type: 'merge',
      });
      expect(patched.metadata.managedFields).toBeUndefined();
    });

    test('OWN-T48 entries at the removed version are given the one of the manifest, and the apply succeeds', async () => {
      arena.writes();
      const { state } = await arena.reconcile(widget('t48', 'v2', { size: 'xl' }));

      expect(state).toMatchObject({ reconciled: true });
      const after = await arena.get(widget('t48', 'v2', {}));
      expect(after).toMatchObject({ spec: { color: 'red', size: 'xl' } });
      expect(entriesOf(after)).toEqual([`eno ${group}/v2`, `legacy ${group}/v2`]);
      expect(JSON.stringify(fieldsOf(after, 'legacy', 'Update'))).toContain('f:color');
      expect(arena.writes().filter((write) => write.includes('/t48'))).toHaveLength(2);
      await arena.reconcile(widget('t48', 'v2', { size: 'xl' }), {}, state);
      expect(arena.writes().filter((write) => write.includes('/t48'))).toEqual([]);
    });

    test('OWN-T48 where ownership is not to be touched, the refusal is reported and nothing is written', async () => {
      arena.writes();
      const { state } = await arena.reconcile(widget('t48c', 'v2', { size: 'xl' }), { mode: 'observe' });

      expect(state.reconciled).toBe(false);
      expect(state.reconciliationError).toContain('invalid group/version');
      expect(arena.writes().filter((write) => write.includes('/t48c'))).toEqual([]);
    });
  });
}
