import { AssertionError } from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClient, kubeconfigTransport, loadKubeconfig } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import manifest from '../packages/kubewright/package.json' with { type: 'json' };
import { findKubectl } from '../tools/assets/find.mjs';
import { runLine } from '../packages/kubewright/src/cli/testing/run-line.ts';

const PACKAGE = new URL('../packages/kubewright/', import.meta.url);
const CLI = fileURLToPath(new URL('bin/kubewright.mjs', PACKAGE));
const isBuilt = existsSync(new URL('dist/bundle/main.js', PACKAGE));

let directory: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubewright-built-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

/** Starts the command as its users do; `said` is told what has come on stdout so far. */
function run(
  args: readonly string[],
  said: (out: string) => void = () => {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<number | null> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const started = spawn(process.execPath, [CLI, ...args], { cwd: directory, env, stdio: [...stdio] });
  child = started;
  let out = '';
  started.stdout?.on('data', (text: Buffer) => {
    out += text.toString();
    said(out);
  });
  return new Promise((resolve) => {
    started.once('close', resolve);
  });
}

const title = 'what npm run build makes of the command line';

describe.skipIf(!isBuilt)(isBuilt ? title : `${title} [needs npm run build]`, () => {
  test.each(['--help', '--version'])('%s is what the whole program prints', async (flag) => {
    let text = '';
    expect(await run([flag], (out) => void (text = out))).toBe(0);
    expect({ out: text, err: '', code: 0 }).toEqual(await runLine(flag));
  });

  test('names its functions in stack traces, on lines that a terminal can show', () => {
    const url = new URL('dist/bundle/main.js', PACKAGE).href;
    const script = `
      const { runCommand } = await import(${JSON.stringify(url)});
      Error.stackTraceLimit = 100;
      const out = () => console.log(new Error('here').stack);
      const { signal } = new AbortController();
      await runCommand(['owners', '--help'], { out, err: out, width: 80, env: {}, cwd: '.', signal });`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/ at (?:async )?runCommand \(/);
    expect(stdout).toMatch(/ at \w+\.outputHelp \(/);
    const places = [...stdout.matchAll(/\.js:\d+:(\d+)\)?$/gm)].map(([, column]) => Number(column));
    expect(Math.max(...places)).toBeLessThan(1000);
  });

  const kubectl = findKubectl();
  const needs = kubectl === undefined ? " [needs kubectl: Debian's, or npm run assets]" : '';
  test.skipIf(kubectl === undefined)(`is found by kubectl, as kubectl wright${needs}`, async () => {
    const { bin } = manifest;
    symlinkSync(fileURLToPath(new URL(bin['kubectl-wright'], PACKAGE)), join(directory, 'kubectl-wright'));
    const env = {
      ...process.env,
      PATH: [directory, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    };
    const { stdout } = spawnSync(kubectl ?? '', ['wright', '--version'], { env, encoding: 'utf8' });
    expect(stdout).toBe(`${manifest.version}\n`);
  });

  test('prints nothing of what it reads, whatever variables of its libraries are set', async () => {
    const file = join(directory, 'kubeconfig');
    const [cluster, user] = [
      '{name: a, cluster: {server: "http://127.0.0.1:1"}}',
      '{name: a, user: {token: hunter2}}',
    ];
    writeFileSync(
      file,
      `contexts: [{name: a, context: {cluster: a, user: a}}]\ncurrent-context: a\nclusters: [${cluster}]\nusers: [${user}]\n`,
    );
    let out = '';
    const env = { ...process.env, LOG_TOKENS: '1', LOG_STREAM: '1' };
    expect(await run(['owners', 'scan', '--kubeconfig', file], (text) => void (out = text), env)).toBe(1);
    expect(out).toBe('');
  });

  test.each([['apiserver'], ['cluster'], ['up', '--no-demo']])(
    '%s serves, and ends with 0',
    async (...args) => {
      let ended: Promise<number | null> = Promise.resolve(null);
      await new Promise<void>((resolve, reject) => {
        ended = run([...args, '--port', '0'], (out) => (/^ready$/m.test(out) ? resolve() : undefined));
        void ended.then((code) => reject(new AssertionError({ message: `it ended with ${code}` })));
      });
      const transport = kubeconfigTransport(await loadKubeconfig(join(directory, '.kubewright/kubeconfig')));
      const { metadata } = await createClient(transport).get(corev1.namespaces, { name: 'default' });
      expect(metadata.name).toBe('default');
      await transport.close();
      child?.kill('SIGTERM');
      expect(await ended).toBe(0);
    },
  );
});
