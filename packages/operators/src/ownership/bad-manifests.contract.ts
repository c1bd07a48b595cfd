import { randomUUID } from 'node:crypto';
import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { afterAll, describe, expect, test } from 'vitest';
import { COMPOSITIONS, type Manifest, RESOURCE_SLICES } from './api.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

/** One manifest that is wrong, or whose kind is not served, keeps nothing else from being done. On any server. */
export function badManifestsContract(server: () => ServerUnderTest): void {
  describe('a manifest that cannot be applied', () => {
    const group = `bad-${randomUUID().slice(0, 8)}.example.com`;
    const world = useCompositions(server, {
      apiGroups: ['', 'apps', group],
      resources: ['configmaps', 'deployments', 'gizmos', 'namespaces', 'widgets'],
    });
    const { arena, compose, composition, config, configMap, slice, states, until, untilStates } = world;
    const manifestOf = (object: object): Manifest => ({ manifest: JSON.stringify(object) });
    const typo = (name: string): Manifest =>
      manifestOf({ apiVersion: 'v1', kind: 'ConfigMapp', metadata: { name, namespace: arena.namespace } });
    const widget = (name: string, version = 'v1') => ({
      apiVersion: `${group}/${version}`,
      kind: 'Widget',
      metadata: { name, namespace: arena.namespace },
    });
    const replace = (of: KubeObject, resources: readonly Manifest[]): Promise<unknown> =>
      arena.client.patch(RESOURCE_SLICES, keyOf(of as Stored), {
        type: 'merge',
        body: { spec: { resources } } as never,
      });
    const remove = async (owner: Stored): Promise<void> => {
      await arena.client.delete(COMPOSITIONS, keyOf(owner));
      await until(async () =>
        expect(await ignoreNotFound(arena.client.get(COMPOSITIONS, keyOf(owner)))).toBeUndefined(),
      );
    };
    const simplified = (owner: KubeObject, expected: object): Promise<unknown> =>
      until(async () => expect((await composition(owner)).status?.simplified).toEqual(expected));

    test('OWN-T66 of a kind that is not served is named, and the rest is applied; corrected, all is ready', async () => {
      const owner = await compose('typo');
      const written = await slice(owner, [typo('typo'), config('typo-rest', { a: '1' })]);
      const error = expect.stringContaining('does not serve kind ConfigMapp') as string;
      await untilStates(written, [{ reconciled: false, reconciliationError: error }, { reconciled: true }]);
      await until(async () =>
        expect((await composition(owner)).status).toMatchObject({
          simplified: { status: 'Reconciling', error },
          conditions: [
            {
              type: 'ObjectsFailed',
              status: 'True',
              message: expect.stringContaining(`ConfigMapp ${arena.namespace}/typo: `) as string,
            },
          ],
        }),
      );

      await replace(written, [config('typo', { a: '1' }), config('typo-rest', { a: '1' })]);
      await simplified(owner, { status: 'Ready' });
      expect((await composition(owner)).status?.conditions).toMatchObject([
        { type: 'ObjectsFailed', status: 'False' },
      ]);
      expect(await configMap('typo')).toMatchObject({ data: { a: '1' } });
    });

    test('OWN-T67 of a kind that is not served does not keep its Composition from being deleted', async () => {
      const owner = await compose('never');
      const written = await slice(owner, [
        typo('never'),
        config('never-rest', { a: '1' }),
        { manifest: '{' },
      ]);
      await untilStates(written, [{ reconciled: false }, { reconciled: true }, { reconciled: false }]);

      await remove(owner);
      expect(await configMap('never-rest')).toBeUndefined();
    });

    test('OWN-T68 of a definition that was deleted counts as gone, dropped or with its Composition', async () => {
      await arena.client.create(CRDS, definition(group, [{ name: 'v1', served: true, storage: true }]));
      const owner = await compose('lost');
      const written = await slice(owner, [
        manifestOf(widget('lost-1')),
        manifestOf(widget('lost-2')),
        config('lost', {}),
      ]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }, { reconciled: true }]);
      await arena.client.delete(CRDS, { name: `widgets.${group}` });
      await until(async () =>
        expect(await ignoreNotFound(arena.client.get(CRDS, { name: `widgets.${group}` }))).toBeUndefined(),
      );

      await replace(written, [manifestOf(widget('lost-2')), config('lost', { a: '1' })]);
      await untilStates(written, [{ reconciled: false }, { reconciled: true }]);
      await until(async () =>
        expect((await arena.client.get(RESOURCE_SLICES, keyOf(written))).status?.inventory).toMatchObject([
          { name: 'lost-2' },
          { name: 'lost' },
        ]),
      );
      await remove(owner);
      expect(await configMap('lost')).toBeUndefined();
    });

    test('OWN-T91 whose definition is deleted is named, and applied again once it is defined under another name', async () => {
      const undefine = async (plural: string): Promise<void> => {
        const name = `${plural}.${group}`;
        await ignoreNotFound(arena.client.delete(CRDS, { name }));
        await until(async () =>
          expect(await ignoreNotFound(arena.client.get(CRDS, { name }))).toBeUndefined(),
        );
      };
      const versions = [{ name: 'v1', served: true, storage: true }];
      await arena.client.create(CRDS, definition(group, versions));
      const owner = await compose('again');
      const interval = { annotations: { 'eno.azure.io/reconcile-interval': '1s' } };
      const again = { ...widget('again'), metadata: { ...widget('again').metadata, ...interval } };
      const written = await slice(owner, [manifestOf(again)]);
      await untilStates(written, [{ reconciled: true }]);

      await undefine('widgets');
      const error = expect.stringContaining('does not serve kind Widget') as string;
      await untilStates(written, [{ reconciled: false, reconciliationError: error }]);

      await arena.client.create(CRDS, definition(group, versions, 'gizmos'));
      await untilStates(written, [{ reconciled: true }]);
      await remove(owner);
      // Its kind is another definition's in the next test.
      await undefine('gizmos');
    });

    test('OWN-T69 whose version is no longer served is deleted at another version', async () => {
      const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v2' }));
      await until(() => arena.client.create(CRDS, definition(group, versions)));
      afterAll(() => ignoreNotFound(arena.client.delete(CRDS, { name: `widgets.${group}` })));
      const owner = await compose('older-version');
      const written = await slice(owner, [manifestOf(widget('older-version')), config('older-version', {})]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }]);
      const body = [{ op: 'replace', path: '/spec/versions/0/served', value: false }];
      await arena.client.patch(CRDS, { name: `widgets.${group}` }, { type: 'json', body });
      await until(() => expect(arena.get(widget('older-version'))).rejects.toThrow());
      expect(await arena.get(widget('older-version', 'v2'))).toBeDefined();

      await replace(written, [config('older-version', {})]);
      await until(async () =>
        expect(await ignoreNotFound(arena.get(widget('older-version', 'v2')))).toBeUndefined(),
      );
      await simplified(owner, { status: 'Ready' });
    });

    test('OWN-T70 an object that may not be deleted is a failure, and the others are deleted', async () => {
      // The server denies that, to everybody.
      const home = manifestOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
      const owner = await compose('refused', {
        metadata: { annotations: { 'eno.azure.io/deletion-strategy': 'orphan' } },
      });
      const [stays, goes] = ['refused-stays', 'refused-goes'].map((name) => config(name, { a: '1' }));
      const written = await slice(
        owner,
        [home, stays, goes].flatMap((one) => one ?? []),
      );
      await untilStates(written, [{ reconciled: true }, { reconciled: true }, { reconciled: true }]);

      await replace(
        written,
        [stays].flatMap((one) => one ?? []),
      );
      await until(async () => expect(await configMap('refused-goes')).toBeUndefined());
      await simplified(owner, {
        status: 'Reconciling',
        error: expect.stringContaining('cannot delete Namespace default: ') as string,
      });
      expect((await composition(owner)).status?.conditions).toMatchObject([
        {
          type: 'ObjectsFailed',
          status: 'True',
          message: expect.stringContaining('Namespace default: cannot be deleted: ') as string,
        },
      ]);
      const { items } = await arena.client.list(corev1.events, { namespace: arena.namespace });
      const about = items.filter(({ involvedObject }) => involvedObject.name === written.metadata.name);
      expect(about.map(({ reason }) => reason)).toContain('ReconciliationFailed');

      await replace(
        written,
        [home, stays].flatMap((one) => one ?? []),
      );
      await simplified(owner, { status: 'Ready' });
      await remove(owner);
    });

    test('OWN-T71 of a kind that others need does not keep them waiting', async () => {
      const owner = await compose('infrastructure');
      const wrong = manifestOf({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'infrastructure', namespace: arena.namespace },
        data: { '/': 'no key' },
      });
      const ordered = config('ordered', { '/': 'no key' }, { 'readiness-group': '1' });
      const waits = config('waits', { a: '1' }, { 'readiness-group': '2' });
      const web = manifestOf({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'infrastructure', namespace: arena.namespace },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'x' } },
          template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'x', image: 'x' }] } },
        },
      });
      const written = await slice(owner, [web, wrong, ordered, waits]);

      await untilStates(written, [{ reconciled: true }, { reconciled: false }, { reconciled: false }, {}]);
      // Whoever says in which order has it so.
      expect((await states(written))[3]).not.toHaveProperty('reconciled');
      expect(await configMap('waits')).toBeUndefined();
    });
  });
}

function definition(group: string, versions: readonly JsonObject[], plural = 'widgets'): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: versions.map((version) => ({ ...version, schema })),
    },
  };
}
