import type { Json, JsonObject, Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { at, textAt } from '../testing/at.ts';
import { configMaps } from '../testing/config-maps.ts';

type Server = { transport(): Transport };

/** DELETE of a collection. */
export function deleteCollectionContract(server: () => Server): void {
  const { maps, call, make, read, removeFinalizers } = configMaps(server, `collections-${process.pid}`);

  describe('a collection', () => {
    const some = async (labels: JsonObject, amount: number): Promise<readonly string[]> =>
      Promise.all(Array.from({ length: amount }, () => make({ labels })));
    const present = async (names: readonly string[]): Promise<readonly boolean[]> =>
      Promise.all(names.map(async (name) => (await read(name)) !== undefined));

    test('is deleted by label and field', async () => {
      const [a, b] = [await some({ set: 'one' }, 2), await some({ set: 'two' }, 1)];
      const answer = await call('DELETE', `${maps}?labelSelector=set%3Done`);
      expect([answer.status, answer.json['kind'], (answer.json['items'] as Json[]).length]).toEqual([
        200,
        'ConfigMapList',
        2,
      ]);
      expect(await present([...a, ...b])).toEqual([false, false, true]);
      await call('DELETE', `${maps}?fieldSelector=metadata.name%3D${b[0]}`);
      expect(await present(b)).toEqual([false]);
      const none = await call('DELETE', `${maps}?labelSelector=set%3Dnone`);
      expect([none.status, none.json['items']]).toEqual([200, []]);
    });

    test('is deleted page by page where a limit is given', async () => {
      const names = await some({ set: 'paged' }, 3);
      const first = await call('DELETE', `${maps}?labelSelector=set%3Dpaged&limit=2`);
      expect((first.json['items'] as Json[]).length).toBe(2);
      const token = textAt(first.json, 'metadata', 'continue');
      expect(token).not.toBe('');
      expect((await present(names)).filter((is) => is).length).toBe(1);
      const next = `${maps}?labelSelector=set%3Dpaged&limit=2&continue=${encodeURIComponent(token)}`;
      expect((await call('DELETE', next)).status).toBe(200);
      expect(await present(names)).toEqual([false, false, false]);
    });

    test('is not deleted by a dry run', async () => {
      const names = await some({ set: 'dry' }, 1);
      const answer = await call('DELETE', `${maps}?labelSelector=set%3Ddry&dryRun=All`);
      expect([answer.status, (answer.json['items'] as Json[]).length]).toEqual([200, 1]);
      expect(await present(names)).toEqual([true]);
    });

    test('takes the options of a deletion for each of its objects', async () => {
      const [name = ''] = await some({ set: 'foreground' }, 1);
      const options = { propagationPolicy: 'Foreground' };
      await call('DELETE', `${maps}?labelSelector=set%3Dforeground`, options);
      expect(at(await read(name), 'metadata', 'finalizers')).toEqual(['foregroundDeletion']);
      await removeFinalizers(name);
      const [other = ''] = await some({ set: 'guarded' }, 1);
      const guarded = await call('DELETE', `${maps}?labelSelector=set%3Dguarded`, {
        preconditions: { uid: 'x' },
      });
      expect([guarded.status, await present([other])]).toEqual([409, [true]]);
    });

    test.each([
      ['limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
      ['labelSelector=%3D%3D', 400, undefined],
    ])('refuses a query that cannot be read: %s', async (query, status, message) => {
      const answer = await call('DELETE', `${maps}?${query}`);
      expect(answer.status).toBe(status);
      if (message !== undefined) expect(answer.json['message']).toBe(message);
    });
  });
}
