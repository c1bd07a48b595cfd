import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { useFolder } from '../../../../../test/support/use-folder.ts';
import { exportOf } from '../testing/export-of.ts';
import { findExport } from './find-export.ts';
import { readExport } from './read-export.ts';
import { replaceExport } from './replace-export.ts';

const mapOf = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name },
});

describe('CAP-181 an export that replaces another one', () => {
  const folder = useFolder();
  const namesAt = async (at: string) => {
    const names: unknown[] = [];
    for await (const { metadata } of readExport(at)) names.push((metadata as { name: string }).name);
    return names;
  };
  const replace = async (at: string, write: (at: string) => Promise<void>) => {
    const found = await findExport(at);
    if (found === undefined) return expect.fail(`nothing is at ${at}`);
    for await (const _ of replaceExport(at, found, write));
  };
  const writeNew = async (at: string) => void (await exportOf('', at, [mapOf('new')]));

  test.each(['folder', 'archive.tar', 'archive.tar.gz'])(
    '%s: the new one is there, and nothing of the old one',
    async (name) => {
      const inner = join(folder, `whole-${name}`);
      mkdirSync(inner);
      const at = await exportOf(inner, name, [mapOf('old'), mapOf('older')]);
      await replace(at, writeNew);
      expect(await namesAt(at)).toEqual(['new']);
      expect(readdirSync(inner)).toEqual([name]);
    },
  );

  test.each(['folder', 'archive.tar', 'archive.tar.gz'])(
    '%s: the old one is there as it was where the new one fails',
    async (name) => {
      const inner = join(folder, `kept-${name}`);
      mkdirSync(inner);
      const at = await exportOf(inner, name, [mapOf('old')]);
      const failing = replace(at, () => Promise.reject(new TypeError('the disk is full')));
      await expect(failing).rejects.toThrow('the disk is full');
      expect(await namesAt(at)).toEqual(['old']);
    },
  );

  test('a folder that has another export below it stays as it is: none can be written there', async () => {
    const at = await exportOf(folder, 'outer', [mapOf('old')]);
    const inner = await exportOf(at, 'inner', [mapOf('kept')]);
    await expect(replace(at, writeNew)).rejects.toThrow('nothing was removed');
    expect(await namesAt(at)).toEqual(['old']);
    expect(await namesAt(inner)).toEqual(['kept']);
  });
});
