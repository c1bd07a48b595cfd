import { keyOf } from '@kubewright/client';
import type { JsonObject, KubeObject, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { type Manifest, RESOURCE_SLICES } from './api.ts';
import { deployment } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Fields that the server stores in another form than they are written in. On any server. */
export function storedFormContract(server: () => ServerUnderTest): void {
  describe('a field that the server converts', () => {
    const world = useCompositions(server, { apiGroups: ['', 'apps'], resources: ['secrets', 'deployments'] });
    const { arena, compose, slice, until, untilStates } = world;
    const secret = (name: string, fields: JsonObject): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: arena.namespace },
      ...fields,
    });
    const dataOf = async (name: string): Promise<unknown> =>
      (await world.find(secret(name, {})))?.['data'] ?? {};
    const manifestOf = (object: object): Manifest => ({ manifest: JSON.stringify(object) });
    const replace = (of: Stored, ...objects: readonly object[]): Promise<unknown> =>
      arena.client.patch(RESOURCE_SLICES, keyOf(of), {
        type: 'merge',
        body: { spec: { resources: objects.map(manifestOf) } } as never,
      });

    test('OWN-T75 keys that stringData drops, renames or hands to data are as the manifest has them', async () => {
      const owner = await compose('strings');
      const written = await slice(owner, [
        manifestOf(secret('strings', { stringData: { a: '1', b: '1', c: 'ü' } })),
      ]);
      await untilStates(written, [{ reconciled: true }]);
      expect(await dataOf('strings')).toEqual({ a: base64('1'), b: base64('1'), c: base64('ü') });
      const steps: readonly [fields: JsonObject, data: JsonObject][] = [
        [{ stringData: { a: '1', c: '2' } }, { a: base64('1'), c: base64('2') }],
        [{ stringData: { renamed: '1' } }, { renamed: base64('1') }],
        [{ data: { renamed: base64('2') } }, { renamed: base64('2') }],
        [
          { data: { d: base64('1') }, stringData: { d: '2', e: '1' } },
          { d: base64('2'), e: base64('1') },
        ],
        [{}, {}],
      ];
      for (const [fields, data] of steps) {
        await replace(written, secret('strings', fields));
        await until(async () => expect(await dataOf('strings')).toEqual(data));
      }
      await untilStates(written, [{ reconciled: true }]);
    });

    test('OWN-T76 what was applied as stringData before goes too', async () => {
      await arena.apply(secret('before', { stringData: { a: '1', b: '1' } }), 'eno');
      const written = await slice(await compose('before'), [
        manifestOf(secret('before', { stringData: { a: '1' } })),
      ]);
      await until(async () => expect(await dataOf('before')).toEqual({ a: base64('1') }));
      await untilStates(written, [{ reconciled: true }]);
    });

    test.each(['serviceAccountName', 'serviceAccount'])(
      'OWN-T77 %s of pods goes when it is dropped',
      async (field) => {
        const name = field.toLowerCase();
        const web = (pod: JsonObject): KubeObject => {
          const { metadata, ...rest } = deployment(name, { pod }, { replicas: 0 });
          return { ...rest, metadata: { ...metadata, namespace: arena.namespace } };
        };
        const accountOf = async (): Promise<unknown> => {
          const live = (await world.find(web({}))) as { readonly spec?: never } | undefined;
          return (live?.spec as { template?: { spec?: JsonObject } } | undefined)?.template?.spec ?? {};
        };
        const written = await slice(await compose(name), [manifestOf(web({ [field]: 'robot' }))]);
        await untilStates(written, [{ reconciled: true }]);
        expect(await accountOf()).toMatchObject({ serviceAccountName: 'robot', serviceAccount: 'robot' });

        await replace(written, web({}));
        await until(async () => expect(await accountOf()).not.toHaveProperty('serviceAccountName'));
        expect(await accountOf()).not.toHaveProperty('serviceAccount');
      },
    );

    test('OWN-T78 a Patch that writes stringData is sent once', async () => {
      await arena.create(secret('patched', { data: { a: base64('1') } }), 'somebody');
      const ops = [{ op: 'add', path: '/stringData', value: { b: '1' } }];
      const patch = {
        apiVersion: 'eno.azure.io/v1',
        kind: 'Patch',
        metadata: { name: 'patched', namespace: arena.namespace },
        patch: { apiVersion: 'v1', kind: 'Secret', ops },
      };
      const written = await slice(await compose('patched'), [manifestOf(patch)]);
      await until(async () => expect(await dataOf('patched')).toEqual({ a: base64('1'), b: base64('1') }));
      await untilStates(written, [{ reconciled: true }]);

      arena.writes();
      const beside = secret('patched-beside', {});
      await replace(written, patch, beside);
      await untilStates(written, [{ reconciled: true }, { reconciled: true }]);
      expect(arena.writes().filter((line) => /\/secrets\/patched(\?|$)/.test(line))).toEqual([]);
    });
  });
}
