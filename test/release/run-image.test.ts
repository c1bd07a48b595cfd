import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildImage } from '../../tools/release/build-image.ts';
import { imageBaseFiles } from '../../tools/release/image-base.ts';
import { readPacked } from '../../tools/release/pack-packages.ts';
import { readImageBase } from '../../tools/release/read-image-base.ts';
import { ROOT, runNpm } from '../../tools/release/run-npm.ts';
import { isLong } from '../support/seeds.ts';
import { hasContainerd, startContainerd } from './containerd.ts';
import { namesIn, type Unpacked, unpackImage, writeRoot } from './unpack-image.ts';

const COMMAND = join(ROOT, 'packages/kubewright/bin/kubewright.mjs');
const MOST_BYTES = 120e6;
/** On the disk of a node. Node's binary alone has 107 MB. */
const MOST_UNPACKED = 120e6;
const USER = 65_532;

/** Why the image cannot be built and run here. */
async function whyNot(): Promise<string | undefined> {
  if (!isLong) return 'npm run test:long';
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.getuid?.() !== 0)
    return 'root on Linux on amd64';
  if (!existsSync(join(ROOT, 'packages/kubewright/dist/bundle/main.js'))) return 'npm run build';
  try {
    for (const architecture of ['amd64', 'arm64'] as const)
      await imageBaseFiles(readImageBase(), architecture);
    return undefined;
  } catch (error) {
    return `what tools/release/image-base.json names: ${(error as Error).message.split('\n', 1)[0]}`;
  }
}

const why = await whyNot();
const title = 'the image of a release, with the Node and the libraries that are pinned';

describe.skipIf(why !== undefined)(why === undefined ? title : `${title} [needs ${why}]`, () => {
  let image: Unpacked;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-image-'));
    const out = runNpm('pack', '-w', 'kubewright', '--json', '--pack-destination', folder);
    const [{ filename }] = JSON.parse(out) as [{ readonly filename: string }];
    const command = await readPacked(folder, filename);
    const base = readImageBase();
    const bases = { amd64: await imageBaseFiles(base, 'amd64'), arm64: await imageBaseFiles(base, 'arm64') };
    const parts = { command, created: '2026-12-01T00:00:00Z', bases };
    const { archive } = await buildImage(parts);
    writeFileSync(join(folder, 'image.tar'), archive);
    image = await unpackImage(archive);
    writeRoot(image.platforms[0]?.layers ?? [], join(folder, 'root'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The arguments of `unshare` that run `args` as a container of the image runs: its user, and a root that cannot be written. */
  const container = (args: readonly string[]): readonly string[] => {
    const root = join(folder, 'root');
    mkdirSync(join(root, 'proc'), { recursive: true });
    const script = [
      'mount --bind "$0" "$0"',
      'mount -o remount,bind,ro "$0"',
      'mount -t proc proc "$0/proc"',
      `exec /usr/sbin/chroot --userspec=${USER}:${USER} "$0" "$@"`,
    ].join(' && ');
    return ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, root, ...args];
  };
  const environment = (): NodeJS.ProcessEnv => {
    const { Env = [] } = image.platforms[0]?.config.config ?? {};
    return Object.fromEntries(Env.map((line) => line.split('=', 2)));
  };
  const run = (...args: readonly string[]) =>
    spawnSync('unshare', [...container(args)], { env: environment(), encoding: 'utf8' });
  const entryPoint = (): readonly string[] => image.platforms[0]?.config.config.Entrypoint ?? [];

  test('is below 120 MB for each architecture, unpacked too', () => {
    for (const { architecture, compressed, layers } of image.platforms) {
      expect(
        layers.reduce((sum, { length }) => sum + length, 0),
        architecture,
      ).toBeLessThan(MOST_UNPACKED);
      expect(compressed, architecture).toBeLessThan(MOST_BYTES);
      expect(compressed, architecture).toBeGreaterThan(MOST_BYTES / 10);
    }
  });

  test('has no program beside Node, nsenter and kubewright, in each architecture', async () => {
    for (const { layers } of image.platforms) {
      const names = await namesIn(layers);
      const programs = names.filter((path) => /(?:^|\/)s?bin\/[^/]+$/.test(path) && !path.startsWith('opt/'));
      expect(programs.toSorted()).toEqual([
        'usr/bin/nsenter',
        'usr/local/bin/kubewright',
        'usr/local/bin/node',
      ]);
    }
  });

  test('runs the command line as it is entered, and by its name, where nothing can be written', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/kubewright/package.json'), 'utf8')) as {
      version: string;
    };
    expect(run(...entryPoint(), '--version')).toMatchObject({
      status: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
    expect(run('kubewright', '--help').stdout).toContain('Makes change on Kubernetes safe.');
    expect(run('/usr/bin/nsenter', '--version')).toMatchObject({ status: 0 });
    const write = "fs.writeFileSync('/tmp/file', '')";
    expect(run('node', '-e', write).stderr).toContain('EROFS');
    expect(run('node', '-p', 'process.getuid() + ":" + process.getgid()').stdout).toBe(`${USER}:${USER}\n`);
  });

  test('resolves names by its own files, and has the roots of certificates that Node has', () => {
    const script = 'require("tls").rootCertificates.length > 100 && require("os").userInfo().username';
    expect(run('node', '-p', script).stdout).toBe('nonroot\n');
  });

  const needsIt = hasContainerd ? '' : ' [needs containerd]';
  test.skipIf(!hasContainerd)(
    `is imported and run by containerd, under the name of the manifests${needsIt}`,
    async () => {
      const { ctr, stop } = await startContainerd(join(folder, 'containerd'));
      onTestFinished(stop);
      ctr('images', 'import', '--snapshotter', 'native', join(folder, 'image.tar'));
      const name = image.name ?? '';
      expect(ctr('images', 'ls', '-q')).toBe(`${name}\n`);
      const [node = '', command = ''] = entryPoint();
      expect(ctr('run', '--rm', '--snapshotter', 'native', name, 'one', node, command, '--version')).toMatch(
        /^\d/,
      );
    },
  );

  test('runs the manager on a cluster', async () => {
    const kubeconfig = join(folder, 'root/home/nonroot/kubeconfig');
    const cluster = start(process.execPath, [
      COMMAND,
      'cluster',
      '--port',
      '0',
      '--kubeconfig-out',
      kubeconfig,
    ]);
    await cluster.ready;
    chownSync(kubeconfig, USER, USER);
    const args = [
      ...entryPoint(),
      'manager',
      '--kubeconfig',
      '/home/nonroot/kubeconfig',
      '--webhook-port',
      '0',
    ];
    const manager = start('unshare', container(args), environment());
    await manager.ready;
    expect(manager.output()).toMatch(/^ready$/m);
  });
});

type Program = { readonly ready: Promise<void>; output(): string };

/** Starts a program that ends with the test; `ready` is when it prints the line. */
function start(command: string, args: readonly string[], env = process.env): Program {
  const child: ChildProcess = spawn(command, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => {
        output += text.toString();
        if (/^ready$/m.test(output)) resolve();
      });
    child.once('close', (code) => reject(new RangeError(`${command} ended with ${code}:\n${output}`)));
  });
  return { ready, output: () => output };
}
