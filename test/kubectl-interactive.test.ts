import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKubectl } from '../tools/assets/find.mjs';
import { describeServers } from './servers/describe-servers.ts';
import type { TestServer } from './servers/test-server.ts';

const kubectl = findKubectl() ?? '';
const NAMESPACE = 'interactive';

/** An editor that does to the file what a person would: `node editor.mjs FROM TO file`. */
const EDITOR = `
import { readFileSync, writeFileSync } from 'node:fs';
const [from, to, file] = process.argv.slice(2);
writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to));
`;

type Ran = { readonly code: number | null; readonly out: string };

/** What a person does with kubectl that is more than one question and one answer. */
function interactive(server: () => TestServer): void {
  let home = '';

  function start(args: readonly string[], editor = '') {
    const env = { ...process.env, HOME: home, KUBECONFIG: server().kubeconfigPath, KUBE_EDITOR: editor };
    return spawn(kubectl, ['-n', NAMESPACE, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  function run(args: readonly string[], editor?: string): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = start(args, editor);
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.on('error', reject);
      child.on('exit', (code) => resolve({ code, out }));
    });
  }

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'kubewright-home-'));
    writeFileSync(join(home, 'editor.mjs'), EDITOR);
    await run(['create', 'namespace', NAMESPACE]);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test('kubectl edit changes what the editor changed', async () => {
    await run(['create', 'deployment', 'web', '--image=web:1']);
    const editor = `node ${join(home, 'editor.mjs')} image:\\ web:1 image:\\ web:2`;

    expect(await run(['edit', 'deployment/web'], editor)).toEqual({
      code: 0,
      out: 'deployment.apps/web edited\n',
    });

    const image = 'jsonpath={.spec.template.spec.containers[0].image}';
    expect((await run(['get', 'deployment/web', '-o', image])).out).toBe('web:2');
  });

  test('kubectl edit without a change writes nothing', async () => {
    await run(['create', 'configmap', 'calm', '--from-literal=a=1']);
    const version = async (): Promise<string> =>
      (await run(['get', 'configmap/calm', '-o', 'jsonpath={.metadata.resourceVersion}'])).out;
    const before = await version();

    expect((await run(['edit', 'configmap/calm'], 'true')).out).toContain('Edit cancelled, no changes made.');

    expect(await version()).toBe(before);
  });

  test('kubectl get -w shows changes as they come', async () => {
    const watch = start([
      'get',
      'configmaps',
      '-w',
      '-l',
      'watched',
      '-o',
      'custom-columns=N:.metadata.name,D:.data.a',
    ]);
    let out = '';
    const seen = (text: string): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!out.includes(text)) return;
          watch.stdout.off('data', look);
          resolve();
        };
        watch.stdout.on('data', look);
        look();
      });
    watch.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const ended = new Promise((resolve) => watch.on('exit', resolve));

    await run(['create', 'configmap', 'first', '--from-literal=a=1']);
    await run(['label', 'configmap/first', 'watched=yes']);
    await seen('first   1');
    await run(['patch', 'configmap/first', '--type=merge', '-p', '{"data":{"a":"2"}}']);
    await seen('first   2');
    watch.kill('SIGTERM');
    await ended;
  });
}

if (kubectl === '') {
  const needs = "[needs kubectl: Debian's kubernetes-client, or npm run assets]";
  describe.skip(`kubectl edit and get -w ${needs}`, () => interactive(() => ({}) as TestServer));
} else {
  describeServers('kubectl edit and get -w', interactive);
}
