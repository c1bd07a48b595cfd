import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATORS } from '@kubewright/operators/list';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/install.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
const BUILD = 'npm ci && npm run build\n';

/** A network of its own, which has nothing but a loopback: no port is taken there, and nothing else can be reached. */
const NETWORK = ['unshare', '--user', '--map-root-user', '--net'];
const isBuilt = existsSync(join(ROOT, 'packages/kubewright/dist/bundle/main.js'));
const canIsolate =
  spawnSync(NETWORK[0] ?? '', [...NETWORK.slice(1), 'ip', 'link', 'set', 'lo', 'up']).status === 0;
const needs = [...(isBuilt ? [] : ['npm run build']), ...(canIsolate ? [] : ['unshare and ip, on Linux'])];
const title = 'docs/install.md, in a clone that is built, with Node.js alone';

describe.skipIf(needs.length > 0)(needs.length === 0 ? title : `${title} [needs ${needs.join(', ')}]`, () => {
  let folder: string;
  let network: ChildProcess;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-install-'));
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const near = dirname(process.execPath);
    for (const name of ['node', 'npm', 'npx']) symlinkSync(join(near, name), join(bin, name));
    // npm runs commands in it.
    symlinkSync('/bin/sh', join(bin, 'sh'));
    // As the clone is, with nothing that a run leaves in it.
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{}');
    env = { PATH: bin, HOME: folder, TMPDIR: folder, npm_config_update_notifier: 'false' };
    const script = 'ip link set lo up && echo up && exec sleep infinity';
    network = spawn(NETWORK[0] ?? '', [...NETWORK.slice(1), 'sh', '-c', script]);
    await new Promise((resolve) => network.stdout?.once('data', resolve));
  });
  afterAll(() => {
    network.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const inNetwork = (): readonly string[] => [
    `--target=${network.pid}`,
    '--user',
    '--net',
    '--preserve-credentials',
    '--',
  ];
  type Ran = { readonly code: number | null; readonly text: string };
  /** A process group, as a terminal has one: Ctrl-C goes to all of it. */
  const start = (
    commands: string,
  ): { readonly child: ChildProcess; readonly ended: Promise<Ran>; text(): string } => {
    const args = [...inNetwork(), '/bin/sh', '-ec', commands];
    const child = spawn('/usr/bin/nsenter', args, { cwd: folder, env, detached: true });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve({ code, text })));
    return { child, ended, text: () => text };
  };
  const run = async (commands: string): Promise<string> => {
    const { code, text } = await start(commands).ended;
    expect(code, `${commands}${text}`).toBe(0);
    return text;
  };
  /** Packets for which this network had no route: there were attempts to reach something else. */
  const lost = (): string => {
    const text = execFileSync('/usr/bin/nsenter', [...inNetwork(), 'cat', '/proc/net/snmp'], {
      encoding: 'utf8',
    });
    const [names = [], values = []] = [...text.matchAll(/^Ip: (.*)$/gm)].map(([, line = '']) =>
      line.split(' '),
    );
    return values[names.indexOf('OutNoRoutes')] ?? '?';
  };

  test('installs five operators that work, again changes nothing, and uninstall leaves nothing', async () => {
    const [build, serve = '', install = '', demos = '', uninstall = ''] = BLOCKS;
    expect(build).toBe(BUILD);
    expect(BLOCKS).toHaveLength(5);
    const cluster = start(serve);
    const prometheus = await new Promise<string>((resolve, reject) => {
      cluster.child.stdout?.on('data', () => {
        const [, url] = /^Prometheus +(\S+)[^]*^ready$/m.exec(cluster.text()) ?? [];
        if (url !== undefined) resolve(url);
      });
      void cluster.ended.then(({ text }) => reject(new RangeError(text)));
    });
    const here = install.replace(/(?<=^PROMETHEUS=)\S+/m, prometheus);
    expect(here).not.toBe(install);
    expect(await run(here)).not.toMatch(/ (failed|warning|unknown) /);
    const played = demos.trim().split('\n');
    const operators = new Set(OPERATORS.map(({ name }) => name));
    expect(new Set(played.map((line) => line.split(' ')[3]))).toEqual(operators);
    await Promise.all(played.map(run));
    // What works is not disturbed by the next one, at once.
    expect(await run(here)).not.toMatch(/ (failed|warning|unknown) /);
    expect(await run(uninstall)).toMatch(/^deleted$/m);
    process.kill(-(cluster.child.pid ?? 0), 'SIGINT');
    await cluster.ended;
    expect(cluster.text()).not.toMatch(/^kubewright: /m);
    expect(readdirSync(folder)).not.toContain('.kubewright');
    expect(lost()).toBe('0');
  });
});
