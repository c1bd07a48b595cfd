import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { INDEX } from './export-index.ts';
import { findExport } from './find-export.ts';

function folderOf(...paths: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of paths) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), '{}');
  }
  return folder;
}

test("folders that are named as those of an export are nobody's to remove without its index", async () => {
  const folder = folderOf('www.example.com/data.json');
  await expect(findExport(folder)).rejects.toThrow('nothing was removed');
  expect(existsSync(join(folder, 'www.example.com/data.json'))).toBe(true);
});

test('what an interrupted removal leaves is removed when it is run again', async () => {
  const folder = folderOf(INDEX, 'Secret.v1.core/a.json', 'Secret.v1.core/b.json');
  const removal = (await findExport(folder))?.remove();
  await removal?.next();
  await removal?.return();
  const rest = await findExport(folder);
  expect(rest).toBeDefined();
  if (rest !== undefined) for await (const _removed of rest.remove());
  expect(existsSync(join(folder, 'Secret.v1.core'))).toBe(false);
});
