import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { packTar, type TarEntry, unpackTar } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareObjects } from './compare-objects.ts';
import { fileOf } from './file-of.ts';
import { indexOf, INDEX } from './export-index.ts';
import { readExport } from './read-export.ts';
import { each, writeObjects } from './testing/write-objects.ts';
import { writeExport } from './write-export.ts';

const configMap = (name: string, data: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name, uid: `uid-${name}`, resourceVersion: '7' },
  data,
});
/** What a program that reads numbers as doubles, or keys as indexes, would change. */
const ODD: JsonObject = {
  apiVersion: 'example.com/v1',
  kind: 'Odd',
  metadata: { namespace: 'shop', name: 'odd' },
  spec: {
    big: 9007199254740993n,
    half: 0.5,
    10: 'ten',
    2: 'two',
    text: '<&>\u2028 😀',
    ['__proto__']: 'own',
  },
};

async function read(path: string): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  for await (const object of readExport(path)) all.push(object);
  return all;
}

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'kubewright-export-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('an export of a checkpoint into a folder', () => {
  const at = (path: string): string => join(folder, 'out', path);

  test('CAP-88 is read back as it was written, in the same order', async () => {
    const objects = [configMap('b'), ODD, configMap('a', { k: 'v' })];
    await writeObjects(at(''), objects);
    expect((await read(at(''))).map(canonicalJson)).toEqual(objects.map(canonicalJson));
    expect(readFileSync(at('Odd.v1.example.com/odd.json'), 'utf8')).toContain('9007199254740993');
    expect(statSync(at('ConfigMap.v1.core/a.json')).mode & 0o077).toBe(0);
  });

  test('of nothing is an index alone', async () => {
    await writeObjects(at(''), []);
    expect(readdirSync(at(''))).toEqual([INDEX]);
    expect(await read(at(''))).toEqual([]);
  });

  test('is rejected when a file was changed, is missing, or was added', async () => {
    await writeObjects(at(''), [configMap('a'), configMap('b')]);
    const file = at('ConfigMap.v1.core/a.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('shop', 'shed'));
    await expect(read(at(''))).rejects.toThrow(/a\.json has changed since it was exported/);
    renameSync(file, at('ConfigMap.v1.core/c.json'));
    await expect(read(at(''))).rejects.toThrow(/a\.json cannot be read/);
    writeFileSync(file, text);
    await expect(read(at(''))).rejects.toThrow(/c\.json is not in the index/);
  });

  test('does not write over anything, and needs an index', async () => {
    await writeObjects(at(''), [configMap('a')]);
    await expect(writeObjects(at(''), [])).rejects.toThrow('is not empty');
    rmSync(at(INDEX));
    await expect(read(at(''))).rejects.toThrow(`${INDEX} cannot be read`);
  });

  test('of objects that are others when they are written fails, and is no export', async () => {
    const index = await indexOf('nss-mcp-1', each([configMap('a')]));
    await expect(writeExport(at(''), index, each([configMap('a', { k: 'v' })]))).rejects.toThrow(
      'has changed while it was exported',
    );
    await expect(read(at(''))).rejects.toThrow(`${INDEX} cannot be read`);
  });

  test('is read from regular files alone: neither through links, nor from pipes or devices', async () => {
    await writeObjects(at(''), [configMap('a')]);
    const file = at('ConfigMap.v1.core/a.json');
    renameSync(file, join(folder, 'elsewhere'));
    for (const target of [join(folder, 'elsewhere'), '/dev/zero']) {
      symlinkSync(target, file);
      await expect(read(at(''))).rejects.toThrow('a.json cannot be read: it is a link, not a file');
      rmSync(file);
    }
    execFileSync('mkfifo', [file]);
    await expect(read(at(''))).rejects.toThrow('a.json cannot be read: it is a pipe, not a file');
    renameSync(at('ConfigMap.v1.core'), join(folder, 'kind'));
    symlinkSync(join(folder, 'kind'), at('ConfigMap.v1.core'));
    await expect(read(at(''))).rejects.toThrow('ConfigMap.v1.core is no folder');
  });

  test.each(['../secret/a.json', '/etc/a.json', 'a/../../b.json', 'plain.json', 'a\\b/c.json'])(
    'an index that leads to %s is rejected',
    async (path) => {
      await writeObjects(at(''), []);
      const index = { format: 'kubewright-export/1', checkpoint: 'c', files: [{ path, sha256: '0' }] };
      writeFileSync(at(INDEX), canonicalJson(index));
      await expect(read(at(''))).rejects.toThrow('is not the index of an export');
    },
  );
});

test.each(['folder', 'some.tar', 'some.tgz'])('of an export %s only what is wanted is read', async (name) => {
  const path = join(folder, name);
  await writeObjects(
    path,
    ['a', 'b', 'c'].map((each) => configMap(each)),
  );
  if (name === 'folder') rmSync(join(path, 'ConfigMap.v1.core/c.json'));
  const found: JsonObject[] = [];
  for await (const object of readExport(path, { wanted: new Set([0, 1]) })) found.push(object);
  expect(found).toEqual([configMap('a'), configMap('b')]);
});

test.each(['x.tar', 'x.tgz'])('an archive %s is a file', async (name) => {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  await expect(read(path)).rejects.toThrow('cannot be read: it is not a file');
  rmSync(path);
  symlinkSync('/dev/zero', path);
  await expect(read(path)).rejects.toThrow('cannot be read: it is not a file');
});

describe('an export of a checkpoint as an archive', () => {
  const OBJECTS = [configMap('b'), ODD, configMap('x'.repeat(250), { k: 'v'.repeat(3_000_000) })];
  const at = (name: string): string => join(folder, name);

  test.each(['out.tar', 'out.tar.gz', 'out.tgz'])(
    'CAP-88 %s is read back as it was written, in the same order, and is the same each time',
    async (name) => {
      await writeObjects(at(name), OBJECTS);
      expect((await read(at(name))).map(canonicalJson)).toEqual(OBJECTS.map(canonicalJson));
      expect(statSync(at(name)).mode & 0o077).toBe(0);
      await writeObjects(at(`again-${name}`), OBJECTS);
      expect(readFileSync(at(`again-${name}`)).equals(readFileSync(at(name)))).toBe(true);
    },
  );

  test('is what tar reads, and writes again as a folder', async () => {
    await writeObjects(at('out.tar'), OBJECTS);
    const files = await unpackTar(readFileSync(at('out.tar')));
    expect(files.map(({ header }) => header.name).slice(0, 2)).toEqual([INDEX, 'ConfigMap.v1.core/b.json']);
    for (const { header, data = Buffer.of() } of files) {
      mkdirSync(dirname(join(folder, 'out', header.name)), { recursive: true });
      writeFileSync(join(folder, 'out', header.name), data);
    }
    expect((await read(at('out'))).map(canonicalJson)).toEqual(OBJECTS.map(canonicalJson));
  });

  test('of nothing is an index alone', async () => {
    await writeObjects(at('out.tar'), []);
    expect(await read(at('out.tar'))).toEqual([]);
  });

  test('does not write over anything, and leaves nothing when it fails', async () => {
    await writeObjects(at('out.tar'), [configMap('a')]);
    await expect(writeObjects(at('out.tar'), [])).rejects.toThrow('exists; name a new one');
    expect(await read(at('out.tar'))).toHaveLength(1);
    const index = await indexOf('nss-mcp-1', each([configMap('a')]));
    await expect(writeExport(at('other.tar'), index, each([configMap('b')]))).rejects.toThrow(
      'has changed while it was exported',
    );
    expect(existsSync(at('other.tar'))).toBe(false);
  });

  const file = (name: string, body: string): TarEntry => ({
    header: { name, size: Buffer.byteLength(body), type: 'file' },
    body,
  });

  test.each<[string, (files: readonly TarEntry[]) => readonly TarEntry[], string]>([
    [
      'a file was changed',
      (files) => files.with(1, file('ConfigMap.v1.core/a.json', '{}')),
      'its checksum is wrong',
    ],
    ['a file is missing', (files) => files.slice(0, 2), 'ends after 1 of 2 objects'],
    [
      'files are exchanged',
      (files) => [...files.slice(0, 1), ...files.slice(1).toReversed()],
      'is not the file that the index has there',
    ],
    ['a file was added', (files) => [...files, file('C.v1.core/c.json', '{}')], 'is not the file'],
    ['it has no index', (files) => files.slice(1), 'is not the index of an export'],
    ['it has nothing', () => [], 'is empty'],
    [
      'there is a link in it',
      (files) => files.with(1, { header: { name: 'a', size: 0, type: 'symlink', linkname: '/etc/passwd' } }),
      'is not a file',
    ],
  ])('is rejected when %s', async (_what, damage, message) => {
    await writeObjects(at('out.tar'), [configMap('a'), configMap('b')]);
    const files = await unpackTar(readFileSync(at('out.tar')));
    const entries = files.map(({ header, data }) => file(header.name, Buffer.from(data ?? []).toString()));
    writeFileSync(at('damaged.tar'), await packTar(damage(entries)));
    await expect(read(at('damaged.tar'))).rejects.toThrow(message);
  });

  test.each(['out.tar', 'out.tar.gz'])(
    '%s that is cut, is no archive, or is not there is rejected',
    async (name) => {
      await writeObjects(at(name), OBJECTS);
      const bytes = readFileSync(at(name));
      writeFileSync(at(name), bytes.subarray(0, bytes.length / 2));
      await expect(read(at(name))).rejects.toThrow(/cannot be read|ends after/);
      writeFileSync(at(name), 'no archive at all');
      await expect(read(at(name))).rejects.toThrow(/cannot be read|is empty|is not the index/);
      rmSync(at(name));
      await expect(read(at(name))).rejects.toThrow('cannot be read');
    },
  );

  test('is no longer open when its reader stops early', async () => {
    await writeObjects(at('out.tar'), OBJECTS);
    for await (const object of readExport(at('out.tar'))) {
      expect(object).toMatchObject({ metadata: { name: 'b' } });
      break;
    }
    rmSync(at('out.tar'));
  });
});

describe('the file of an object', () => {
  test.each([
    [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, 'Deployment.v1.apps/web.json'],
    [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }, 'ConfigMap.v1.core/a.json'],
    [
      { apiVersion: 'a/b/c', kind: '../..', name: '../../etc' },
      '%2E.%2F...%3F.a%2Fb%2Fc/%2E.%2F..%2Fetc.json',
    ],
  ])('%o is %s', (identity, path) => {
    expect(fileOf(identity)).toBe(path);
  });

  test('is short enough for a long name, and another one for another name', () => {
    const of = (name: string): string => fileOf({ apiVersion: 'v1', kind: 'Role', name });
    const [a, b] = [of(`${'x:'.repeat(120)}a`), of(`${'x:'.repeat(120)}b`)];
    expect(a).not.toBe(b);
    expect(Math.max(a.length, b.length)).toBeLessThan(255);
  });
});

describe('a captured object beside the live one', () => {
  test('is equal whatever only the server writes', () => {
    const live = {
      ...configMap('a'),
      metadata: { namespace: 'shop', name: 'a', uid: 'new' },
      status: { x: 1 },
    };
    expect(compareObjects(configMap('a'), live)).toBe('');
  });

  test('shows changed lines with their neighbours, as diff -u does', () => {
    const captured = configMap('a', { one: '1', two: '2' });
    expect(compareObjects(captured, configMap('a', { one: '1', two: '3', zero: '0' }))).toBe(
      [
        '@@ -1,7 +1,8 @@',
        ' apiVersion: "v1"',
        ' data:',
        '   one: "1"',
        '-  two: "2"',
        '+  two: "3"',
        '+  zero: "0"',
        ' kind: "ConfigMap"',
        ' metadata:',
        '   name: "a"',
        '',
      ].join('\n'),
    );
  });

  test('that is gone is removed as a whole', () => {
    expect(compareObjects(configMap('a'), undefined)).toMatch(/^@@ -1,6 \+0,0 @@\n(-.*\n){6}$/);
  });

  test('a value of a Secret is never shown, only that it differs', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"k":"b25l"}}' };
    const secret = (k: string, more: JsonObject = {}): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', annotations },
      data: { same: 'c2FtZQ==', k, ...more },
    });
    const text = compareObjects(secret('b25l'), secret('dHdv', { added: 'bmV3' }));
    expect(text).toContain('-  k: "*** (before)"');
    expect(text).toContain('+  k: "*** (after)"');
    expect(text).toContain('+  added: "*** (after)"');
    expect(text).not.toMatch(/b25l|dHdv|bmV3|c2FtZQ/);
    expect(compareObjects(secret('b25l'), secret('b25l'))).toBe('');
  });
});
