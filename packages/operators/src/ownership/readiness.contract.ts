import { describe, expect, test } from 'vitest';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

/** When an object is ready, and what is said of it before, on any server. */
export function readinessContract(server: () => ServerUnderTest): void {
  describe('readiness checks', () => {
    const { compose, composition, config, setData, slice, until, untilStates } = useCompositions(server);

    test('an object becomes ready when its checks pass, and stays so', async () => {
      const owner = await compose('checked');
      const checks = { readiness: "self.data.phase == 'done'", 'readiness-b': 'has(self.data.b)' };
      const written = await slice(owner, [config('checked', { a: '1' }, checks)]);

      const [before] = await untilStates(written, [{ reconciled: true }]);
      expect(before?.ready).toBeUndefined();
      await until(async () => expect((await composition(owner)).status?.simplified?.status).toBe('NotReady'));

      await setData('checked', { phase: 'done', b: '1' });
      const [ready] = await untilStates(written, [{ ready: expect.any(String) }]);
      await until(async () => expect((await composition(owner)).status?.simplified?.status).toBe('Ready'));

      await setData('checked', { phase: 'undone' });
      await untilStates(written, [{ reconciled: true, ready: ready?.ready }]);
    });

    test('an expression that does not compile is ignored', async () => {
      const owner = await compose('invalid');
      const written = await slice(owner, [config('invalid', { a: '1' }, { readiness: 'self.(' })]);

      await untilStates(written, [{ reconciled: true, ready: expect.any(String) }]);
    });
  });

  describe('what is not there yet', () => {
    const { arena, compose, find, slice, until, untilStates } = useCompositions(server);

    test('an object is applied soon after its namespace is created, and the others do not wait', async () => {
      const owner = await compose('early');
      const later = `${arena.namespace}-later`;
      const object = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'early', namespace: later },
        data: { a: '1' },
      };
      const other = { ...object, metadata: { name: 'other', namespace: arena.namespace } };
      const written = await slice(owner, [
        { manifest: 'no json' },
        { manifest: JSON.stringify(object) },
        { manifest: JSON.stringify(other) },
      ]);
      await untilStates(written, [
        { reconciled: false, reconciliationError: expect.stringContaining('invalid json') },
        { reconciled: false, reconciliationError: expect.stringContaining('not found') },
        { reconciled: true },
      ]);

      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: later } };
      await arena.client.create({ group: '', version: 'v1', kind: 'Namespace' }, namespace);
      await untilStates(written, [{}, { reconciled: true }, {}]);

      await until(async () => expect(await find(other)).toBeDefined());
      await arena.client.delete({ group: '', version: 'v1', kind: 'Namespace' }, { name: later });
    });
  });

  describe('a kind that is not there yet', () => {
    const anyKind = { apiGroups: ['later.example.com'], resources: ['laters'] };
    const { arena, compose, slice, untilStates } = useCompositions(server, anyKind);

    test('an object is applied soon after its definition is', async () => {
      const group = 'later.example.com';
      const metadata = { name: 'one', namespace: arena.namespace };
      const object = { apiVersion: `${group}/v1`, kind: 'Later', metadata };
      const written = await slice(await compose('kind'), [{ manifest: JSON.stringify(object) }]);
      await untilStates(written, [{ reconciled: false, reconciliationError: expect.any(String) }]);

      const definitions = {
        group: 'apiextensions.k8s.io',
        version: 'v1',
        kind: 'CustomResourceDefinition',
      };
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
      await arena.client.create(definitions, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `laters.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind: 'Later', plural: 'laters' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      await untilStates(written, [{ reconciled: true }]);
      await arena.client.delete(definitions, { name: `laters.${group}` });
    });
  });

  describe('drift', () => {
    const { arena, compose, config, configMap, setData, slice, until, untilStates } = useCompositions(server);

    test('with an interval, what others change or delete comes back; the Composition’s is inherited', async () => {
      const owner = await compose('drift', {
        metadata: { annotations: { 'eno.azure.io/reconcile-interval': '1s' } },
      });
      const written = await slice(owner, [config('drift', { a: '1' })]);
      await untilStates(written, [{ reconciled: true }]);

      await setData('drift', { a: '2' });
      await until(async () => expect(await configMap('drift')).toMatchObject({ data: { a: '1' } }));

      await arena.client.delete(
        { group: '', version: 'v1', kind: 'ConfigMap' },
        { namespace: arena.namespace, name: 'drift' },
      );
      await until(async () => expect(await configMap('drift')).toMatchObject({ data: { a: '1' } }));
    });
  });
}
