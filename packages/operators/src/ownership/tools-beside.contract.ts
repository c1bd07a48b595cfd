import { type KubeObject, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Manifest } from './api.ts';
import { actionsOn } from './testing/actions-on.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

/** Objects that other tools have too: releases, applications, inventories, owners, appliers. On any server. */
export function toolsBesideContract(server: () => ServerUnderTest): void {
  describe('an object that another tool has too', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap, find, slice, until, untilStates } = world;
    const { remove, untilGone, drop } = actionsOn(world);
    const mark = (name: string, metadata: object, manager = 'helm'): Promise<unknown> =>
      arena.patch(object(name), { metadata } as never, manager, { type: 'merge' });
    const object = (name: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: arena.namespace },
    });
    const MARKS: readonly [holder: string, mark: (name: string) => Promise<unknown>][] = [
      [
        'Helm release shop/web',
        (name) =>
          mark(name, {
            annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' },
          }),
      ],
      [
        'Argo CD Application web',
        (name) =>
          mark(name, { annotations: { 'argocd.argoproj.io/tracking-id': `web:/ConfigMap:shop/${name}` } }),
      ],
      [
        'Flux Kustomization flux-system/apps',
        (name) =>
          mark(name, {
            labels: {
              'kustomize.toolkit.fluxcd.io/name': 'apps',
              'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
            },
          }),
      ],
      ['ApplySet x', (name) => mark(name, { labels: { 'applyset.kubernetes.io/part-of': 'x' } })],
      ['ci (Apply)', (name) => arena.apply({ ...object(name), data: { a: '1' } }, 'ci')],
      ['ConfigMap owner (owner reference)', (name) => own(name)],
    ];
    async function own(name: string): Promise<unknown> {
      const owner = (await find(object('owner'))) ?? (await arena.create(object('owner'), 'somebody'));
      return mark(name, { ownerReferences: [ownerReferenceTo(owner as Stored)] }, 'kube-controller-manager');
    }

    test.each(MARKS)(
      'OWN-T62 %s: it is released, dropped or with the Composition',
      async (holder, markIt) => {
        const id = `marked-${MARKS.findIndex(([one]) => one === holder)}`;
        const owner = await compose(id);
        const written = await slice(owner, [config(`${id}-1`, { a: '1' }), config(`${id}-2`, { a: '1' })]);
        await untilStates(written, [{ reconciled: true }, { reconciled: true }]);
        await markIt(`${id}-1`);
        await markIt(`${id}-2`);

        await drop(written, `${id}-1`);
        await until(async () =>
          expect((await world.composition(owner)).status?.conditions).toMatchObject([
            { type: 'ObjectsReleased', status: 'True', message: expect.stringContaining(holder) as string },
          ]),
        );
        await remove(owner);
        await untilGone(owner);
        for (const name of [`${id}-1`, `${id}-2`]) {
          const live = await configMap(name);
          expect(live).toMatchObject({ data: { a: '1' } });
          // The ownership is given up, so that the holder can remove what it drops.
          expect((live?.metadata.managedFields ?? []).map(({ manager }) => manager)).not.toContain('eno');
        }
      },
    );

    test('OWN-T63 it is deleted where the Composition says so', async () => {
      const annotations = { 'eno.azure.io/delete-shared': 'true' };
      const owner = await compose('told', { metadata: { annotations } });
      const written = await slice(owner, [config('told-1', { a: '1' }), config('told-2', { a: '1' })]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }]);
      for (const name of ['told-1', 'told-2']) await arena.apply({ ...object(name), data: { b: '1' } }, 'ci');

      await drop(written, 'told-1');
      await until(async () => expect(await configMap('told-1')).toBeUndefined());
      await remove(owner);
      await untilGone(owner);
      expect(await configMap('told-2')).toBeUndefined();
    });

    test('OWN-T64 what the manifests put on it themselves is no mark of another tool', async () => {
      const owner = await compose('exported');
      const { metadata, ...rest } = object('exported');
      const annotations = { 'meta.helm.sh/release-name': 'web' };
      const exported: Manifest = {
        manifest: JSON.stringify({ ...rest, metadata: { ...metadata, annotations } }),
      };
      const written = await slice(owner, [exported, config('beside', {})]);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }]);

      await drop(written, 'exported');
      await until(async () => expect(await configMap('exported')).toBeUndefined());
    });
  });
}
