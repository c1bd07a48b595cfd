import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTerminal } from './testing/use-terminal.ts';

const terminal = useTerminal();

test('--version', async () => {
  expect(await terminal().run('--version')).toBe(0);
  expect(terminal().out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('--context chooses a cluster of the kubeconfig', async () => {
  const { folder, run } = terminal();
  const clusters = ['a', 'b'].map((name, i) => ({ name, cluster: { server: `https://127.0.0.1:${i + 1}` } }));
  const contexts = ['a', 'b'].map((name) => ({ name, context: { cluster: name } }));
  const file = join(folder, 'kc');
  writeFileSync(file, JSON.stringify({ clusters, contexts, 'current-context': 'a' }));
  const owners = (context: string) =>
    run('owners', 'deployment/web', '--kubeconfig', file, '--context', context);
  expect(await owners('b')).toBe(1);
  expect(terminal().err).toContain('cannot reach https://127.0.0.1:2');
  expect(await owners('c')).toBe(1);
  expect(terminal().err).toContain('has no context "c": it has a, b; name a cluster with --kubeconfig');
});

test('a second cluster in a folder leaves the first one its kubeconfig, and each takes its own along', async () => {
  const { folder, run, ready, interrupt } = terminal();
  const first = run('apiserver', '--port', '0');
  await ready();
  const path = join(folder, '.kubewright/kubeconfig');
  const before = readFileSync(path, 'utf8');
  const second = run('apiserver', '--port', '0');
  await expect.poll(() => terminal().out.match(/^ready$/gm)?.length, { timeout: 30_000 }).toBe(2);
  expect(terminal().out).toContain(`kubeconfig  ${path}-2\n`);
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(await run('apiserver', '--port', '0', '--kubeconfig-out', path)).toBe(1);
  expect(terminal().err).toContain(`${path} belongs to process ${process.pid}, which runs`);
  interrupt();
  expect([await first, await second]).toEqual([0, 0]);
  expect(existsSync(join(folder, '.kubewright'))).toBe(false);
});
