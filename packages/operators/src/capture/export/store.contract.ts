import { canonicalJson, defined, type JsonObject } from '@kubewright/kube';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { indexOf } from './export-index.ts';
import { findExport, type FoundExport } from './find-export.ts';
import { replaceExport } from './replace-export.ts';
import { s3Folder } from './s3-folder.ts';
import { configMap, each, readObjects, removeObjects, writeObjects } from './testing/write-objects.ts';
import { writeExport } from './write-export.ts';

/** A bucket in which everything is the test's. */
export type Store = {
  readonly bucket: string;
  /** With what a command finds it. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether one of several that create an object at a time does, where that is asked for. */
  readonly createsOnce: boolean;
  /** More than it lists at once. */
  readonly many: number;
};

/** Names and values that an encoding too few, or too many, would change. */
const ODD = [
  configMap('b'),
  configMap(`odd:name (*) & 'quotes' +~`, { big: 9007199254740993n, text: '<&>\u2028 😀' }),
  configMap('empty-text', { text: '' }),
];
const OBJECTS = Array.from({ length: 24 }, (_, index) => configMap(`map-${index}`));
const OTHERS = Array.from({ length: 24 }, (_, index) => configMap(`map-${index}`, { of: 'another' }));

const write = (at: string, objects: readonly JsonObject[] = OBJECTS): Promise<void> =>
  writeObjects(at, objects);

/** What exports rely on in a store that speaks S3. */
export function storeContract(store: () => Store): void {
  beforeAll(() => {
    const { env } = store();
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    return () => vi.unstubAllEnvs();
  });
  let places = 0;
  const newPlace = (): string => `s3://${store().bucket}/place-${places++}`;
  const folderAt = (at: string) => s3Folder(at, store().env);

  test('CAP-221 an export is read back as it was written, below a prefix of any characters, and goes as a whole', async () => {
    const at = `${newPlace()}/shop & co/*monday+1~ (it's!) é=?#%`;
    await write(at, ODD);
    expect(await readObjects(at)).toEqual(ODD.map(canonicalJson));
    await expect(write(at)).rejects.toThrow('is not empty');
    expect(await removeObjects(at)).toBe(ODD.length + 1);
    expect(await findExport(at)).toBeUndefined();
  });

  test('CAP-222 20 times two exports to one prefix at a time: never do two succeed, and what is there verifies', async () => {
    for (let round = 0; round < 20; round++) {
      const at = newPlace();
      const both = await Promise.allSettled([write(at), write(at, OTHERS)]);
      const winners = [OBJECTS, OTHERS].filter((_, index) => both[index]?.status === 'fulfilled');
      if (store().createsOnce) expect(winners).toHaveLength(1);
      expect(winners.length).toBeLessThan(2);
      for (const objects of winners) expect(await readObjects(at)).toEqual(objects.map(canonicalJson));
      for (const { reason } of both.filter((one) => one.status === 'rejected'))
        expect(reason).toMatchObject({ message: expect.stringContaining('--overwrite') });
    }
  });

  test('CAP-223 exports below one another verify each by itself, and one goes without the others', async () => {
    const at = newPlace();
    await write(at);
    await write(`${at}/inner`, OTHERS);
    await write(`${at}/deep/er`, ODD);
    for (const place of [at, `${at}/inner`, `${at}/deep/er`]) await readObjects(place);
    await removeObjects(at);
    expect(await readObjects(`${at}/inner`)).toEqual(OTHERS.map(canonicalJson));
    expect(await readObjects(`${at}/deep/er`)).toEqual(ODD.map(canonicalJson));
  });

  describe('CAP-224 damage is found', () => {
    const file = 'ConfigMap.v1.core/map-1.json';
    test.each([
      ['an object that was changed', { path: file, content: '{}' }, 'its checksum is wrong'],
      ['an object that was added', { path: `${file}.orig`, content: '{}' }, 'is not in the index'],
    ])('%s', async (_what, change, message) => {
      const at = newPlace();
      await write(at);
      await folderAt(at).write(change);
      await expect(readObjects(at)).rejects.toThrow(message);
    });

    test('an object that is missing', async () => {
      const at = newPlace();
      await write(at);
      await folderAt(at).remove(file);
      await expect(readObjects(at)).rejects.toThrow('map-1.json cannot be read');
    });
  });

  test('CAP-225 what an interrupted export has left goes as a whole, and then one can be written', async () => {
    const at = newPlace();
    const index = await indexOf('nss-mcp-1', each(OBJECTS));
    const half = writeExport(at, index, each([...OBJECTS.slice(0, 12), configMap('other')]));
    await expect(half).rejects.toThrow('what was written stays');
    await expect(write(at)).rejects.toThrow('was interrupted');
    expect(await removeObjects(at)).toBeGreaterThan(12);
    await write(at);
    expect(await readObjects(at)).toHaveLength(OBJECTS.length);
  });

  describe('CAP-227 an export that replaces another one', () => {
    const replace = async (
      at: string,
      objects: readonly JsonObject[],
      written: readonly JsonObject[] = objects,
    ): Promise<void> => {
      const [found, index] = [await findExport(at), await indexOf('nss-mcp-2', each(objects))];
      if (found === undefined) return expect.fail(`nothing is at ${at}`);
      const write = (to: string, replaced?: FoundExport): Promise<void> =>
        writeExport(to, index, each(written), defined({ replaced }));
      for await (const _ of replaceExport(at, found, write));
    };
    const filesAt = async (at: string): Promise<number> => {
      let count = 0;
      for await (const _ of folderAt(at).list()) count++;
      return count;
    };

    test('is there as a whole, and nothing of the old one', async () => {
      const at = newPlace();
      await write(at);
      await replace(at, OTHERS);
      expect(await readObjects(at)).toEqual(OTHERS.map(canonicalJson));
      expect(await filesAt(at)).toBe(OTHERS.length + 1);
      await replace(at, ODD);
      expect(await readObjects(at)).toEqual(ODD.map(canonicalJson));
      expect(await removeObjects(at)).toBe(ODD.length + 1);
    });

    test('leaves the old one as it was where it fails, and what it left goes with the next', async () => {
      const at = newPlace();
      await write(at);
      const failing = replace(at, OTHERS, [...OTHERS.slice(0, 12), configMap('other')]);
      await expect(failing).rejects.toThrow('the export that was there stays');
      expect(await readObjects(at)).toEqual(OBJECTS.map(canonicalJson));
      await replace(at, OTHERS);
      expect(await readObjects(at)).toEqual(OTHERS.map(canonicalJson));
      expect(await filesAt(at)).toBe(OTHERS.length + 1);
    });

    test('may replace one that is still being written: that one fails, and leaves nothing among its files', async () => {
      const at = newPlace();
      const slowly = async function* (): AsyncGenerator<JsonObject, void> {
        yield* OBJECTS.slice(0, 12);
        await replace(at, OTHERS);
        yield* OBJECTS.slice(12);
      };
      const index = await indexOf('nss-mcp-1', each(OBJECTS));
      await expect(writeExport(at, index, slowly())).rejects.toThrow('replaced while it was written');
      expect(await readObjects(at)).toEqual(OTHERS.map(canonicalJson));
      expect(await filesAt(at)).toBe(OTHERS.length + 1);
    });

    test('and another one at the same time, 20 times: never do both, and what is there verifies', async () => {
      for (let round = 0; round < 20; round++) {
        const at = newPlace();
        await write(at, ODD);
        const both = await Promise.allSettled([replace(at, OBJECTS), replace(at, OTHERS)]);
        const winners = [OBJECTS, OTHERS].filter((_, index) => both[index]?.status === 'fulfilled');
        expect(winners.length).toBeLessThan(2);
        expect(await readObjects(at)).toEqual((winners[0] ?? ODD).map(canonicalJson));
      }
    });
  });

  test('CAP-226 more objects than the server lists at once are written, read, and removed', async () => {
    const at = newPlace();
    const many = Array.from({ length: store().many }, (_, index) => configMap(`many-${index}`));
    await write(at, many);
    expect(await readObjects(at)).toHaveLength(many.length);
    expect(await removeObjects(at)).toBe(many.length + 1);
    expect(await findExport(at)).toBeUndefined();
  });
}
