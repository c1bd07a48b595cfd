import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { containerdTools } from './containerd-tools.ts';

async function* archive(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1024);
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1024);
  throw Object.assign(new TypeError('write: no space left on device'), { code: 'ENOSPC' });
}

test.each([
  ['it does not arrive whole', broken, 'no space left'],
  ['containerd does not take it', archive, 'ctr: failed'],
] as const)('MIG-66 of an archive nothing is left on the disk when %s', async (_why, content, message) => {
  const folder = await mkdtemp(join(tmpdir(), 'kubewright-agent-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const kubelet = {} as never;
  const run = async (): Promise<never> => {
    throw new TypeError('ctr: failed');
  };
  const tools = containerdTools({ kubelet, run, folder });
  await expect(tools.load('localhost/ms2m/shop/consumer-0:1', content())).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual([]);
});
