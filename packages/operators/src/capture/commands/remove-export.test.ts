import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { useFolder } from '../../../../../test/support/use-folder.ts';
import { paintFor } from '../../kit/paint.ts';
import { exportOf } from '../testing/export-of.ts';
import { removeExport } from './remove-export.ts';

const folder = useFolder();
const named = (kind: string, name: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace: 'shop', name },
});

async function remove(at: string, options: { readonly yes?: string } = {}): Promise<string> {
  let printed = '';
  const terminal = {
    out: (text: string) => void (printed += text),
    print: ({ text }: { readonly text: () => string }) => void (printed += text()),
    progress: () => undefined,
    paint: paintFor(false),
    signal: new AbortController().signal,
  };
  const removed = removeExport({ args: [at], options, terminal });
  await (options.yes === undefined
    ? expect(removed).rejects.toThrow('nothing was removed; add --yes to remove all')
    : removed);
  return printed;
}

test('CAP-229 who removes an export reads how many of its files are of Secrets, and whether it is complete', async () => {
  const objects = [named('ConfigMap', 'a'), named('Secret', 'b'), named('Secret', 'c')];
  const at = await exportOf(folder, 'whole', objects);
  expect(await remove(at)).toBe(`${at} has 4 files, 2 of them of Secrets\n`);
  expect(await remove(at, { yes: 'true' })).toBe(`${at} is removed: 4 files, 2 of them of Secrets\n`);
});

test('CAP-229 of an interrupted export, too', async () => {
  const at = await exportOf(folder, 'half', [named('Secret', 'b')]);
  renameSync(join(at, 'checkpoint.json'), join(at, 'export-claim.json'));
  expect(await remove(at)).toBe(
    `${at} has 2 files, 1 of them of Secrets, of an export that is not complete\n`,
  );
});
