import { ignoreNotFound, keyOf } from '@kubewright/client';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { COMPOSITIONS, RESOURCE_SLICES } from './api.ts';
import { configMap, fieldsAt, fieldsOf } from './testing/objects.ts';
import type { ServerUnderTest } from './testing/server-under-test.ts';
import { useCompositions } from './testing/use-compositions.ts';

/** How often each of the others writes meanwhile. */
const WRITES = 20;
const OBJECTS = ['one', 'two', 'three', 'four'];
const HELD = 'held';
const all = [...OBJECTS, HELD];

/** What the operator promises, while others write and apply the same objects, on any server. */
export function heldClaimContract(server: () => ServerUnderTest): void {
  describe('removals while others write and apply', () => {
    const {
      arena,
      compose,
      composition,
      config,
      configMap: find,
      setData,
      slice,
      until,
      untilStates,
    } = useCompositions(server);
    const keep = { 'migrate-ownership-sources': '*,!holder' };
    const manifests = (data: Readonly<Record<string, string>>) => all.map((name) => config(name, data, keep));

    /** Each of these counts up a key of its own, one by merge patches, one by applies. */
    const write = async (name: string): Promise<void> => {
      for (let nth = 1; nth <= WRITES; nth++) await setData(name, { written: String(nth) }, 'writer');
    };
    const apply = async (name: string): Promise<void> => {
      for (let nth = 1; nth <= WRITES; nth++)
        await arena.apply(configMap(name, { applied: String(nth) }), 'applier');
    };
    const owned = (object: KubeObject, manager: string, operation: 'Apply' | 'Update') =>
      Object.keys(fieldsAt(fieldsOf(object, manager, operation), ['f:data']) ?? {}).filter(
        (key) => key !== '.',
      );

    test('what is dropped goes, or a condition names who holds it; nothing else changes, and a second pass writes nothing', async () => {
      const before = { kept: '1', dropped: '1' };
      for (const name of all) await arena.create(configMap(name, before), 'helm');
      const owner = await compose('held-claim');
      const written = await slice(owner, manifests(before));
      await untilStates(
        written,
        all.map(() => ({ reconciled: true })),
      );
      await arena.apply(configMap(HELD, { dropped: '1' }), 'holder');

      const body: JsonObject = { spec: { resources: manifests({ kept: '1' }) as never } };
      await Promise.all([
        ...all.flatMap((name) => [write(name), apply(name)]),
        arena.client.patch(RESOURCE_SLICES, keyOf(written), { type: 'merge', body }),
      ]);

      const theirs = { written: String(WRITES), applied: String(WRITES) };
      await until(async () => {
        for (const name of OBJECTS) expect((await find(name))?.['data']).toEqual({ kept: '1', ...theirs });
      });
      await untilStates(
        written,
        all.map((name) => ({ reconciled: name !== HELD })),
      );
      await until(async () =>
        expect((await composition(owner)).status?.conditions).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              type: 'OwnershipBlocked',
              status: 'True',
              message: expect.stringContaining('holder (Apply)'),
            }),
          ]),
        ),
      );
      expect((await find(HELD))?.['data']).toEqual({ ...before, ...theirs });

      const objects = await Promise.all(all.map((name) => arena.get(configMap(name))));
      for (const object of objects) {
        const isHeld = object.metadata.name === HELD;
        expect(owned(object, 'writer', 'Update')).toEqual(['f:written']);
        expect(owned(object, 'applier', 'Apply')).toEqual(['f:applied']);
        expect(owned(object, 'helm', 'Update')).toEqual(isHeld ? ['f:dropped', 'f:kept'] : ['f:kept']);
        expect(owned(object, 'holder', 'Apply')).toEqual(isHeld ? ['f:dropped'] : []);
      }

      arena.writes();
      // A new manager looks at everything anew.
      await arena.operator.restart();
      const { manager } = arena.operator;
      await until(async () => {
        expect(manager.health().ready && manager.idle()).toBe(true);
      });
      expect(arena.writes()).toEqual([]);

      // What stays blocked would be counted by the managers of other suites.
      await arena.client.delete(COMPOSITIONS, keyOf(owner));
      await until(async () => expect(await ignoreNotFound(composition(owner))).toBeUndefined());
    });
  });
}
