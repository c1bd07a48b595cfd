import { randomUUID } from 'node:crypto';
import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
import { afterAll, describe, expect, test } from 'vitest';
import { type Composition, type Manifest, RESOURCE_SLICES, type ResourceSlice } from './api.ts';
import { actionsOn } from './testing/actions-on.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const RBAC = 'rbac.authorization.k8s.io';
const SHOP = 'wanted.example.com';
const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
const KINDS = {
  apiGroups: ['', RBAC, SHOP, DEFINITIONS.group],
  resources:
    'configmaps namespaces clusterroles customresourcedefinitions carts depots serviceaccounts'.split(' '),
};

/** Objects of which it is not evident that somebody else wants them too. On any server. */
export function wantedByOthersContract(server: () => ServerUnderTest): void {
  describe('an object that goes, and that others want although they do not name it in the same way', () => {
    const world = useCompositions(server, KINDS);
    const { arena, compose, config, configMap, slice, until, untilStates } = world;
    const { remove, untilGone } = actionsOn(world);
    const id = randomUUID().slice(0, 8);
    const written: KubeObject[] = [];
    afterAll(async () => {
      for (const { apiVersion, kind, metadata } of written) {
        const ref = { ...parseApiVersion(apiVersion), kind };
        await ignoreNotFound(arena.client.delete(ref, { name: metadata.name ?? '' }));
      }
    });

    const manifest = (object: KubeObject): Manifest => ({ manifest: JSON.stringify(object) });
    const live = (object: KubeObject): Promise<KubeObject | undefined> => ignoreNotFound(arena.get(object));
    /** A Composition with these manifests, applied. */
    async function composed(name: string, ...manifests: readonly Manifest[]) {
      const owner = await compose(name);
      const part = await slice(owner, [...manifests, config(`${name}-own`, {})]);
      await untilStates(
        part,
        [...manifests, {}].map(() => ({ reconciled: true })),
      );
      return { owner, part };
    }
    const rewrite = (part: Stored<ResourceSlice>, resources: readonly Manifest[]): Promise<unknown> =>
      arena.client.patch(RESOURCE_SLICES, keyOf(part), {
        type: 'merge',
        body: { spec: { resources } } as never,
      });
    const dropAll = ({ part }: { part: Stored<ResourceSlice> }, name: string): Promise<unknown> =>
      rewrite(part, [config(`${name}-own`, {})]);
    const conditions = async (owner: Stored<Composition>) =>
      (await world.composition(owner)).status?.conditions;
    /** The Composition says that it has released an object, because of this. */
    const untilReleased = (owner: Stored<Composition>, why: string): Promise<unknown> =>
      until(async () =>
        expect(await conditions(owner)).toMatchObject([
          { type: 'ObjectsReleased', status: 'True', message: expect.stringContaining(why) as string },
        ]),
      );
    const namespaceOf = (name: string): KubeObject => {
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${name}-${id}` } };
      written.push(object);
      return object;
    };
    const configIn = (place: KubeObject, name: string, metadata = {}): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: place.metadata.name ?? '', ...metadata },
    });
    const role = (name: string, metadata: object = {}): KubeObject => {
      const object = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name, ...metadata } };
      written.push(object);
      return object;
    };
    async function uidOf(object: KubeObject): Promise<string | undefined> {
      const found = await live(object);
      return found?.metadata.deletionTimestamp === undefined ? found?.metadata.uid : 'is being deleted';
    }

    test('OWN-T100 a namespace stays while another Composition has an object in it', async () => {
      const place = namespaceOf('room');
      const a = await composed('room-a', manifest(place));
      const b = await composed('room-b', manifest(configIn(place, 'guest')));
      const before = await uidOf(place);

      await dropAll(a, 'room-a');
      await untilReleased(a.owner, `/room-b (ConfigMap ${place.metadata.name}/guest)`);
      expect(await uidOf(place)).toBe(before);
      await remove(b.owner);
      await untilGone(b.owner);
    });

    test('OWN-T100 a namespace stays while a Helm release has an object in it, unless told otherwise', async () => {
      const [kept, told] = [namespaceOf('kept'), namespaceOf('told')];
      const annotations = { 'eno.azure.io/delete-shared': 'true' };
      const ordered = { ...told, metadata: { ...told.metadata, annotations } };
      const a = await composed('helm-a', manifest(kept), manifest(ordered));
      const release = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' };
      for (const place of [kept, told])
        await arena.client.create(
          corev1.configmaps,
          configIn(place, 'web', { annotations: release }) as never,
        );
      const before = await uidOf(kept);

      await dropAll(a, 'helm-a');
      await untilReleased(a.owner, `Helm release shop/web (ConfigMap ${kept.metadata.name}/web)`);
      expect(await uidOf(kept)).toBe(before);
      await until(async () => expect(await uidOf(told)).not.toBe(before));
      await until(async () => expect([undefined, 'is being deleted']).toContain(await uidOf(told)));
    });

    test('OWN-T100 a namespace goes where nobody else has anything in it', async () => {
      const place = namespaceOf('empty');
      const a = await composed('empty-a', manifest(place), manifest(configIn(place, 'own')));
      await dropAll(a, 'empty-a');
      await until(async () => expect([undefined, 'is being deleted']).toContain(await uidOf(place)));
    });

    test('OWN-T101 a definition stays while others have resources of it', async () => {
      const carts = definition('carts', 'Cart', 'Namespaced');
      written.push(carts);
      const a = await composed('carts-a', manifest(carts));
      const cart = { apiVersion: `${SHOP}/v1`, kind: 'Cart', metadata: { name: 'one' }, spec: {} };
      await until(() => arena.apply(cart, 'ci'));
      const before = await uidOf(carts);

      await dropAll(a, 'carts-a');
      await untilReleased(a.owner, `ci (Apply) (Cart ${arena.namespace}/one)`);
      expect(await uidOf(carts)).toBe(before);
    });

    test('OWN-T102 it stays where the other Composition writes its name with escapes', async () => {
      const quoted = role(`say "${id}"`);
      const a = await composed('quoted-a', manifest(quoted));
      await composed('quoted-b', manifest(quoted));
      const before = await uidOf(quoted);

      await dropAll(a, 'quoted-a');
      await untilReleased(a.owner, '/quoted-b');
      expect(await uidOf(quoted)).toBe(before);
    });

    test('OWN-T103 it stays where the other Composition has it on record, and a manifest that cannot be read', async () => {
      const a = await composed('unread-a', config('unread', { a: '1' }));
      const b = await composed('unread-b', config('unread', { a: '1' }));
      await rewrite(b.part, [{ manifest: '{"apiVersion":' }]);
      await untilStates(b.part, [{ reconciled: false }]);
      const before = (await configMap('unread'))?.metadata.uid;

      await dropAll(a, 'unread-a');
      await untilReleased(a.owner, '/unread-b');
      expect((await configMap('unread'))?.metadata.uid).toBe(before);
    });

    test.each([
      ['of Kubernetes', () => role(`stray-${id}`)],
      ['of a definition', () => depot(id)],
    ])(
      'OWN-T104 it stays where a manifest names a namespace that its kind %s does not have',
      async (_title, make) => {
        const plain = make();
        const named = { ...plain, metadata: { ...plain.metadata, namespace: arena.namespace } };
        if (plain.kind === 'Depot') {
          const depots = definition('depots', 'Depot', 'Cluster');
          written.push(depots);
          await composed('depots', manifest(depots));
        }
        const name = `stray-${plain.kind.toLowerCase()}`;
        const a = await composed(`${name}-a`, manifest(named));
        const before = await uidOf(plain);
        expect(before).toBeDefined();

        // The namespace is corrected.
        await rewrite(a.part, [manifest(plain), config(`${name}-a-own`, {})]);
        await until(async () => {
          const { inventory } = (await arena.client.get(RESOURCE_SLICES, keyOf(a.part))).status ?? {};
          expect(
            (inventory ?? []).map(({ kind, namespace = '' }) => `${kind} ${namespace}`).toSorted(),
          ).toEqual([`${plain.kind} `, `ConfigMap ${arena.namespace}`].toSorted());
        });
        expect(await uidOf(plain)).toBe(before);

        await composed(`${name}-b`, manifest(named));
        await dropAll(a, `${name}-a`);
        await untilReleased(a.owner, `/${name}-b`);
        expect(await uidOf(plain)).toBe(before);
      },
    );

    test('OWN-T105 an override that names another object overrides nothing', async () => {
      const overrides = JSON.stringify([{ path: 'self.metadata.name', value: 'somebody-elses' }]);
      await composed('renamed', config('renamed', { a: '1' }, { overrides }));
      expect(await configMap('renamed')).toMatchObject({ data: { a: '1' } });
      expect(await configMap('somebody-elses')).toBeUndefined();
    });

    test('OWN-T106 a Patch that deletes does not delete it', async () => {
      await composed('patched-b', config('patched', { a: '1' }));
      const before = (await configMap('patched'))?.metadata.uid;
      const ops = [{ op: 'add', path: '/metadata/deletionTimestamp', value: 'now' }];
      const metadata = { name: 'patched', namespace: arena.namespace };
      const patch = { apiVersion: 'v1', kind: 'ConfigMap', ops };
      const object = { apiVersion: 'eno.azure.io/v1', kind: 'Patch', metadata, patch };
      const part = await slice(await compose('patched-a'), [{ manifest: JSON.stringify(object) }]);
      await untilStates(part, [{ reconciled: false, ownership: { state: 'Contested' } }]);
      expect((await configMap('patched'))?.metadata.uid).toBe(before);
    });
  });
}

function depot(id: string): KubeObject {
  return { apiVersion: `${SHOP}/v1`, kind: 'Depot', metadata: { name: `stray-${id}` } };
}

function definition(plural: string, kind: string, scope: string): KubeObject {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  const spec = { group: SHOP, scope, names: { plural, singular: kind.toLowerCase(), kind }, versions };
  const { group, version, kind: definitionKind } = DEFINITIONS;
  const metadata = { name: `${plural}.${SHOP}` };
  const object = { apiVersion: `${group}/${version}`, kind: definitionKind, metadata, spec };
  return object;
}
