import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@kubewright/kube';
import { parseYaml } from '@kubewright/kube/yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onPath } from '../tools/assets/find.mjs';
import { textAt } from './support/at.ts';
import { httpsCall } from './support/https-call.ts';
import { isLong } from './support/seeds.ts';
import { KUBEWRIGHT } from './support/kubewright-command.ts';

const SOURCES = fileURLToPath(new URL('../examples/envtest/', import.meta.url));
const isBuilt = existsSync(new URL('../packages/kubewright/dist/bundle/main.js', import.meta.url));
const TIMEOUT_MS = 60_000;

/** How each example is run: what is compiled into a folder first, and the command. */
type Language = {
  readonly name: string;
  readonly tools: readonly string[];
  /** In the long form alone. */
  readonly isSlow?: boolean;
  readonly compile?: (folder: string) => readonly string[];
  readonly run: (folder: string) => readonly string[];
};

const PYTHON = onPath('python3', { PATH: '/usr/bin' }) ?? onPath('python3') ?? 'python3';
// The compiler of Rust takes as long as the others together.
const LANGUAGES: readonly Language[] = [
  { name: 'Python', tools: ['python3'], run: () => [PYTHON, join(SOURCES, 'envtest.py')] },
  {
    name: 'Java',
    tools: ['javac', 'java'],
    compile: (folder) => ['javac', '-d', folder, join(SOURCES, 'Envtest.java')],
    run: (folder) => ['java', '-XX:TieredStopAtLevel=1', '-cp', folder, 'Envtest'],
  },
  {
    name: 'Rust',
    tools: ['rustc'],
    isSlow: true,
    compile: (folder) => [
      'rustc',
      '--edition=2021',
      '-o',
      join(folder, 'envtest'),
      join(SOURCES, 'envtest.rs'),
    ],
    run: (folder) => [join(folder, 'envtest')],
  },
];

/** What an example starts, as its kubeconfig names it. */
async function callBy(kubeconfig: string): Promise<JsonObject> {
  const config = parseYaml(readFileSync(kubeconfig, 'utf8')).value as JsonObject;
  const authority = textAt(config, 'clusters', 0, 'cluster', 'certificate-authority');
  const place = {
    url: textAt(config, 'clusters', 0, 'cluster', 'server'),
    caCert: readFileSync(authority, 'utf8'),
  };
  const who = { token: textAt(config, 'users', 0, 'user', 'token') };
  const object = { metadata: { name: 'made' }, data: { by: 'test' } };
  return (await httpsCall(place, 'POST', '/api/v1/namespaces/default/configmaps', who, object)).body;
}

describe('the examples of envtest in other languages', () => {
  let folder: string;
  let assets: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-envtest-'));
    assets = join(folder, 'assets');
    if (isBuilt) execFileSync(process.execPath, [...KUBEWRIGHT, 'envtest', '--directory', assets]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  for (const { name, tools, compile, run } of LANGUAGES.filter(({ isSlow }) => isLong || isSlow !== true)) {
    const missing = [
      ...tools.filter((tool) => onPath(tool) === undefined),
      ...(isBuilt ? [] : ['npm run build']),
    ];
    const title = `that in ${name} serves while it runs, and leaves nothing`;
    test.skipIf(missing.length > 0)(
      missing.length > 0 ? `${title} [needs ${missing.join(', ')}]` : title,
      async () => {
        const [compiler, ...sources] = compile?.(folder) ?? [];
        if (compiler !== undefined) execFileSync(compiler, sources, { stdio: 'pipe' });
        const [command = '', ...args] = run(folder);
        const child = spawn(command, args, {
          env: { ...process.env, KUBEBUILDER_ASSETS: assets, TMPDIR: folder },
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        const ended = once(child, 'exit');
        const [kubeconfig] = (await Promise.race([
          once(createInterface(child.stdout), 'line'),
          ended.then(() => []),
        ])) as readonly string[];
        assert(kubeconfig !== undefined, 'it has ended');
        expect(await callBy(kubeconfig)).toMatchObject({ kind: 'ConfigMap', data: { by: 'test' } });
        child.stdin.end();
        expect(await ended).toEqual([0, null]);
        expect(existsSync(dirname(kubeconfig))).toBe(false);
      },
      TIMEOUT_MS,
    );
  }
});
