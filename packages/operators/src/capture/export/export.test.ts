import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, type JsonObject } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareObjects } from './compare-objects.ts';
import { fileOf } from './file-of.ts';
import { readExport } from './read-export.ts';
import { INDEX, writeExport } from './write-export.ts';

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

describe('an export of a checkpoint', () => {
  let folder = '';
  const at = (path: string): string => join(folder, 'out', path);
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'kubewright-export-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  test('CAP-88 is read back as it was written, in the same order', async () => {
    const objects = [configMap('b'), ODD, configMap('a', { k: 'v' })];
    await writeExport(at(''), 'nss-mcp-1', objects);
    const read = await readExport(at(''));
    expect(read.map(canonicalJson)).toEqual(objects.map(canonicalJson));
    expect(readFileSync(at('Odd.v1.example.com/odd.json'), 'utf8')).toContain('9007199254740993');
    expect(statSync(at('ConfigMap.v1.core/a.json')).mode & 0o077).toBe(0);
  });

  test('of nothing is an index alone', async () => {
    await writeExport(at(''), 'nss-mcp-1', []);
    expect(readdirSync(at(''))).toEqual([INDEX]);
    expect(await readExport(at(''))).toEqual([]);
  });

  test('is rejected as a whole when a file was changed, is missing, or was added', async () => {
    await writeExport(at(''), 'nss-mcp-1', [configMap('a'), configMap('b')]);
    const file = at('ConfigMap.v1.core/a.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('shop', 'shed'));
    await expect(readExport(at(''))).rejects.toThrow(/a\.json has changed since it was exported/);
    renameSync(file, at('ConfigMap.v1.core/c.json'));
    await expect(readExport(at(''))).rejects.toThrow(/a\.json cannot be read/);
    writeFileSync(file, text);
    await expect(readExport(at(''))).rejects.toThrow(/c\.json is not in the index/);
  });

  test('does not write over anything, and needs an index', async () => {
    await writeExport(at(''), 'nss-mcp-1', [configMap('a')]);
    await expect(writeExport(at(''), 'nss-mcp-1', [])).rejects.toThrow('is not empty');
    rmSync(at(INDEX));
    await expect(readExport(at(''))).rejects.toThrow(`${INDEX} cannot be read`);
  });

  test.each(['../secret/a.json', '/etc/a.json', 'a/../../b.json', 'plain.json', 'a\\b/c.json'])(
    'an index that leads to %s is rejected',
    async (path) => {
      await writeExport(at(''), 'nss-mcp-1', []);
      const index = { format: 'kubewright-export/1', checkpoint: 'c', files: [{ path, sha256: '0' }] };
      writeFileSync(at(INDEX), canonicalJson(index));
      await expect(readExport(at(''))).rejects.toThrow('is not the index of an export');
    },
  );
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
