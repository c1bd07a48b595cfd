import { randomUUID } from 'node:crypto';
import { isForbidden } from '@kubewright/client';
import { apiextensionsv1, corev1, type KubeObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountUser, MANAGER } from '../../kit/install-objects.ts';
import type { ServerUnderTest } from '../testing/server-under-test.ts';
import { usePasses } from '../testing/use-passes.ts';

const EVERY_SECOND = { metadata: { annotations: { 'eno.azure.io/reconcile-interval': '1s' } } };
const ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole' };

function definition(group: string, size: number): KubeObject {
  const spec = { type: 'object', default: {}, properties: { size: { type: 'integer', default: size } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** Which kinds are read at each reconcile, and which are watched, on any server. */
export function watchedKindsContract(server: () => ServerUnderTest): void {
  describe('a kind that the operator may not list and watch', () => {
    const { arena, compose, config, configMap, passes, sent, setData, slice, until, untilStates } =
      usePasses(server);

    test('OWN-T97 its objects are read at each reconcile, and what others change comes back', async () => {
      const rules = [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update', 'patch', 'delete'] },
      ];
      await arena.client.patch(
        ROLES,
        { name: 'kubewright:ownership:objects' },
        { type: 'merge', body: { rules } },
      );
      const manager = arena.operator.as(accountUser(MANAGER));
      await until(async () => {
        const listed = await manager.list(corev1.configmaps, { limit: 1 }).catch((error: unknown) => error);
        expect(isForbidden(listed)).toBe(true);
      });
      await arena.operator.restart();
      const written = await slice(await compose('unwatched', EVERY_SECOND), [
        config('unwatched', { a: '1' }),
      ]);
      await untilStates(written, [{ reconciled: true }]);
      sent();
      await passes(2);
      expect(sent().some((line) => line.startsWith('GET') && line.endsWith('/configmaps/unwatched'))).toBe(
        true,
      );
      await setData('unwatched', { a: '2' });
      await until(async () => expect(await configMap('unwatched')).toMatchObject({ data: { a: '1' } }));
    });
  });

  describe('a kind whose definition changes', () => {
    const group = `own-${randomUUID().slice(0, 8)}.example.com`;
    const { arena, compose, passes, sent, slice, until, untilQuiet, untilStates } = usePasses(server, {
      apiGroups: [group],
      resources: ['widgets'],
    });
    const crds = apiextensionsv1.customresourcedefinitions;
    const widgets = { group, version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true };

    beforeAll(async () => {
      await arena.client.create<KubeObject>(crds, definition(group, 1));
      await until(() => arena.client.list(widgets));
    });
    afterAll(async () => {
      await arena.client.delete(crds, { name: `widgets.${group}` });
    });

    test('OWN-T98 its objects, which have not changed, are looked at again', async () => {
      const metadata = { name: 'one', namespace: arena.namespace };
      const object = { apiVersion: `${group}/v1`, kind: 'Widget', metadata };
      const written = await slice(await compose('defined', EVERY_SECOND), [
        { manifest: JSON.stringify(object) },
      ]);
      await untilStates(written, [{ reconciled: true }]);
      await untilQuiet();
      await passes(2);
      expect(sent()).toEqual([]);

      const { spec } = definition(group, 2) as KubeObject & { readonly spec: object };
      await arena.client.patch(
        crds,
        { name: `widgets.${group}` },
        { type: 'merge', body: { spec: { ...spec } } },
      );
      await until(async () => {
        await passes();
        expect(sent().some((line) => line.includes('/widgets/one?') && line.includes('dryRun=All'))).toBe(
          true,
        );
      });
    });
  });
}
