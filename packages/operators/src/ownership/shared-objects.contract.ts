import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, type KubeObject, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { afterAll, describe, expect, test } from 'vitest';
import { type Composition, COMPOSITIONS, type Manifest, RESOURCE_SLICES } from './api.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { type Compositions, useCompositions } from './testing/use-compositions.ts';

const NAMESPACES = { group: '', version: 'v1', kind: 'Namespace' };

/** Objects that others have too: other Compositions, other tools. On any server. */
export function sharedObjectsContract(server: () => ServerUnderTest): void {
  describe('an object that another Composition has too', () => {
    const world = useCompositions(server);
    const { arena, compose, config, configMap, slice, states, until, untilStates } = world;
    const isReady = (owner: KubeObject): Promise<unknown> =>
      until(async () => expect((await world.composition(owner)).status?.simplified?.status).toBe('Ready'));
    const both = async (name: string, ...data: readonly Readonly<Record<string, string>>[]) => {
      const parts = [];
      for (const [index, one] of data.entries()) {
        const owner = await compose(`${name}-${index}`);
        parts.push({
          owner,
          slice: await slice(owner, [config(name, one), config(`${name}-own-${index}`, {})]),
        });
      }
      const [first, second] = parts;
      if (first === undefined || second === undefined) throw new TypeError('name two');
      return { first, second };
    };
    const { remove, untilGone, drop, events } = actionsOn(world);

    test('OWN-T56 dropped from one of them, it stays, and is reported as released', async () => {
      const { first, second } = await both('dropped', { a: '1' }, { a: '1' });
      await isReady(first.owner);
      await isReady(second.owner);
      const before = await configMap('dropped');

      await drop(first.slice, 'dropped');
      const released = {
        conditions: [
          {
            type: 'ObjectsReleased',
            status: 'True',
            message: expect.stringContaining(`Composition ${arena.namespace}/dropped-1`) as string,
          },
        ],
      };
      await until(async () => expect((await world.composition(first.owner)).status).toMatchObject(released));
      expect((await configMap('dropped'))?.metadata.uid).toBe(before?.metadata.uid);
      expect((await arena.client.get(RESOURCE_SLICES, keyOf(first.slice))).status).toMatchObject({
        inventory: [{ name: 'dropped-own-0' }],
        released: [{ kind: 'ConfigMap', name: 'dropped' }],
      });
      await until(async () => expect(await events(first.slice)).toContain('Released'));

      await drop(second.slice, 'dropped');
      await until(async () => expect(await configMap('dropped')).toBeUndefined());
    });

    test('OWN-T57 when one of them is deleted, it stays, also across namespaces', async () => {
      const namespace = `${arena.namespace}-2`;
      await arena.client.create(NAMESPACES, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      afterAll(() => arena.client.delete(NAMESPACES, { name: namespace }));
      const near = await compose('near');
      const far = await compose('far', { metadata: { name: 'far', namespace } });
      const nearSlice = await slice(near, [config('spread', { a: '1' })]);
      const farSlice = await sliceIn(world, namespace, far, [config('spread', { a: '1' })]);
      await untilStates(nearSlice, [{ reconciled: true }]);
      await untilStates(farSlice, [{ reconciled: true }]);
      const before = await configMap('spread');

      await remove(near);
      await untilGone(near);
      expect((await configMap('spread'))?.metadata.uid).toBe(before?.metadata.uid);

      await remove(far);
      await untilGone(far);
      expect(await configMap('spread')).toBeUndefined();
    });

    test('OWN-T58 when all of them are deleted at once, it goes', async () => {
      const { first, second } = await both('last', { a: '1' }, { a: '1' });
      await isReady(first.owner);
      await isReady(second.owner);

      await Promise.all([remove(first.owner), remove(second.owner)]);
      await untilGone(first.owner);
      await untilGone(second.owner);
      expect(await configMap('last')).toBeUndefined();
    });

    test('OWN-T59 of different values those of the older one count, and both report it', async () => {
      const older = await compose('older');
      const first = await slice(older, [config('values', { a: '1', b: '1' })]);
      await untilStates(first, [{ reconciled: true }]);
      await until(async () =>
        expect(Date.now()).toBeGreaterThan(Date.parse(older.metadata.creationTimestamp ?? '') + 1000),
      );
      const newer = await compose('newer');
      const second = await slice(newer, [config('values', { a: '2', c: '2' })]);

      await untilStates(second, [
        {
          reconciled: false,
          reconciliationError: expect.stringContaining('.data.a: Composition') as string,
          ownership: {
            state: 'Contested',
            managers: [`Composition ${arena.namespace}/older`],
            paths: ['.data.a'],
          },
        },
      ]);
      await untilStates(first, [{ reconciled: true, ownership: { state: 'Contested' } }]);
      for (const owner of [older, newer])
        await until(async () =>
          expect((await world.composition(owner)).status?.conditions).toMatchObject([
            { type: 'OwnershipContested', status: 'True' },
          ]),
        );
      await until(async () =>
        expect(await configMap('values')).toMatchObject({ data: { a: '1', b: '1', c: '2' } }),
      );
      expect((await world.composition(newer)).status?.simplified?.status).toBe('Reconciling');
      expect((await world.composition(older)).status?.simplified?.status).toBe('Ready');

      // Once they agree, nothing is contested, and what nobody has goes.
      await arena.client.patch(RESOURCE_SLICES, keyOf(second), {
        type: 'merge',
        body: { spec: { resources: [config('values', { a: '1' })] } } as never,
      });
      await untilStates(second, [{ reconciled: true }]);
      await until(async () =>
        expect((await configMap('values')) as unknown).toMatchObject({ data: { a: '1', b: '1' } }),
      );
      await until(async () => expect(await configMap('values')).not.toHaveProperty('data.c'));
      expect((await states(second))[0]).not.toHaveProperty('ownership');
    });

    test('OWN-T60 different fields are applied together, and each drops its own', async () => {
      const { first, second } = await both('fields', { a: '1', s: '1' }, { b: '1', s: '1' });
      await isReady(first.owner);
      await isReady(second.owner);
      await until(async () =>
        expect(await configMap('fields')).toMatchObject({ data: { a: '1', b: '1', s: '1' } }),
      );

      await drop(first.slice, 'fields');
      await until(async () => expect((await configMap('fields')) ?? {}).not.toHaveProperty('data.a'));
      expect(await configMap('fields')).toMatchObject({ data: { b: '1', s: '1' } });
    });

    test('OWN-T61 a tombstone does not delete it', async () => {
      const owner = await compose('keeper');
      await untilStates(await slice(owner, [config('kept', { a: '1' })]), [{ reconciled: true }]);
      const before = await configMap('kept');
      const tombstone = { ...config('kept', {}), deleted: true };
      const other = await slice(await compose('killer'), [tombstone]);

      await untilStates(other, [
        {
          reconciled: false,
          reconciliationError: `not deleted, because Composition ${arena.namespace}/keeper has it`,
          ownership: { state: 'Contested' },
        },
      ]);
      expect((await configMap('kept'))?.metadata.uid).toBe(before?.metadata.uid);
    });
  });

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

/** A slice of a Composition in another namespace than the suite's. */
function sliceIn(
  { arena }: Compositions,
  namespace: string,
  owner: Stored<Composition>,
  resources: readonly Manifest[],
): Promise<KubeObject> {
  const ownerReferences = [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })];
  return arena.client.create(RESOURCE_SLICES, {
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: `${owner.metadata.name}-1`, namespace, ownerReferences },
    spec: { resources },
  });
}

function actionsOn({ arena, until }: Compositions) {
  return {
    remove: async (owner: KubeObject): Promise<void> =>
      void (await arena.client.delete(COMPOSITIONS, keyOf(owner as Stored))),
    untilGone: (owner: KubeObject): Promise<void> =>
      until(async () =>
        expect(await ignoreNotFound(arena.client.get(COMPOSITIONS, keyOf(owner as Stored)))).toBeUndefined(),
      ),
    /** Takes the manifest of an object out of a slice. */
    drop: async (slice: KubeObject, name: string): Promise<void> => {
      const key = keyOf(slice);
      const { spec } = await arena.client.get(RESOURCE_SLICES, key);
      const resources = (spec?.resources ?? []).filter(
        ({ manifest = '' }) => !manifest.includes(`"${name}"`),
      );
      await arena.client.patch(RESOURCE_SLICES, key, {
        type: 'merge',
        body: { spec: { resources } } as never,
      });
    },
    /** The reasons of the Events of an object. */
    events: async ({ metadata }: KubeObject): Promise<readonly string[]> => {
      const { items } = await arena.client.list(corev1.events, { namespace: arena.namespace });
      return items
        .filter(({ involvedObject }) => involvedObject.name === metadata.name)
        .flatMap(({ reason }) => reason ?? []);
    },
  };
}
