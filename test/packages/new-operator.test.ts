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
import { delimiter, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOtherNodes, nodePackage, OWN_NODE } from '../../tools/nodejs/releases.mjs';
import { packPackages } from '../../tools/release/pack-packages.ts';
import { isLong } from '../support/seeds.ts';
import { readJson, ROOT } from './packed.ts';
import { type Registry, startRegistry } from './registry.ts';
import { npm, run } from './run.ts';
import { runProject } from './run-project.ts';

const isBuilt = existsSync(join(ROOT, 'packages/kubewright/dist/bundle/main.js'));
const NEW = ['new', 'operator', 'web-cache', '--group', 'shop.example.org'];

type Dependencies = Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>;

test('the template of an operator has the versions of the tools that the repository is tested with', () => {
  const ours = readJson(join(ROOT, 'package.json')) as Dependencies;
  const path = 'packages/kubewright/templates/operator/package.json';
  const { devDependencies } = readJson(join(ROOT, path)) as Dependencies;
  const tools = Object.keys(devDependencies).filter((name) => !/^@?kubewright/.test(name));
  expect(tools).not.toEqual([]);
  for (const tool of tools) expect([tool, devDependencies[tool]]).toEqual([tool, ours.devDependencies[tool]]);
});

describe.skipIf(!isBuilt)(`kubewright new operator${isBuilt ? '' : ' [needs npm run build]'}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-new-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('writes a project under its own names that compiles, and leaves one that is there alone', async () => {
    const command = [join(ROOT, 'packages/kubewright/bin/kubewright.mjs'), ...NEW];
    const printed = await run(process.execPath, command, folder);
    expect(printed).toMatch(/^web-cache\/src\/web-cache-controller\.ts$/m);
    expect(printed).toContain('has the kind WebCache (webcaches.shop.example.org)');
    const project = join(folder, 'web-cache');
    const entries = readdirSync(project, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      expect(entry.name).not.toMatch(/sample/i);
      if (entry.isFile())
        expect(readFileSync(join(entry.parentPath, entry.name), 'utf8')).not.toMatch(/sample/i);
    }
    symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'), 'junction');
    await run(process.execPath, ['node_modules/typescript/bin/tsc'], project);
    await expect(run(process.execPath, command, folder)).rejects.toThrow('is there and not empty');
  });
});

const needs = [...(isLong ? [] : ['npm run test:long']), ...(isBuilt ? [] : ['npm run build'])];
const title = 'a new operator, in a folder beside the packed packages';
const nodes = needs.length === 0 ? [OWN_NODE, ...(await findOtherNodes())] : [];

describe.skipIf(needs.length > 0)(needs.length === 0 ? title : `${title} [needs ${needs.join(', ')}]`, () => {
  let folder: string;
  let project: string;
  let registry: Registry;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-operator-'));
    const release = join(folder, 'release');
    mkdirSync(release);
    await packPackages(release);
    // Nothing of ours is published.
    registry = await startRegistry([]);
    const [command = ''] = readdirSync(release).filter((name) => /^kubewright-\d/.test(name));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'beside', private: true }));
    await npm(['install', join(release, command)], folder, registry.env);
    const kubewright = join(folder, 'node_modules/kubewright/bin/kubewright.mjs');
    await run(process.execPath, [kubewright, ...NEW, '--packages', 'release'], folder);
    project = join(folder, 'web-cache');
    // The tools have programs for this platform, which their own scripts would look for.
    await npm(['install'], project, registry.env);
  });
  afterAll(() => {
    registry?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(nodes.map((node) => [node.version, node] as const))('Node %s', (version, { path = '' }) => {
    const missing = path === '' ? ` [needs ${nodePackage(version)} from npm]` : '';
    test.skipIf(path === '')(`npm test passes, with the rights of its manifests${missing}`, async () => {
      const PATH = `${dirname(path)}${delimiter}${process.env['PATH'] ?? ''}`;
      expect(await run('npm', ['test'], project, { PATH })).toMatch(/Tests .*12 passed/);
    });

    test.skipIf(path === '')(`the command line writes the same project${missing}`, async () => {
      const place = join(folder, `on-${version}`);
      mkdirSync(place);
      const kubewright = join(folder, 'node_modules/kubewright/bin/kubewright.mjs');
      await run(path, [kubewright, ...NEW, '--packages', join(folder, 'release')], place);
      const written = join(place, 'web-cache');
      const files = readdirSync(written, { recursive: true, withFileTypes: true }).filter((one) =>
        one.isFile(),
      );
      expect(files.length).toBeGreaterThan(10);
      for (const { parentPath, name } of files.filter((one) => one.name !== 'package.json')) {
        const here = join(parentPath, name);
        const there = join(project, relative(written, here));
        expect(readFileSync(here, 'utf8'), name).toBe(readFileSync(there, 'utf8'));
      }
    });
  });

  test('npm run manifests makes the ones that are there', async () => {
    const manifests = (): readonly string[] =>
      readdirSync(join(project, 'manifests')).map((name) =>
        readFileSync(join(project, 'manifests', name), 'utf8'),
      );
    const before = manifests();
    await run('npm', ['run', 'manifests', '--', '--image', 'web-cache:0.1.0'], project);
    expect(manifests()).toEqual(before);
  });

  test('its program is one file, which runs on a cluster beside it', async () => {
    await run('npm', ['run', 'build'], project);
    await runProject(process.execPath, project);
  });
});
