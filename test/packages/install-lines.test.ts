import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packPackages, readManifests } from '../../tools/release/pack-packages.ts';
import { isLong } from '../support/seeds.ts';
import { ROOT } from './packed.ts';
import { type Registry, startRegistry } from './registry.ts';
import { run } from './run.ts';

/** A block of shell commands that installs, by the page that prints it. */
type Block = { readonly page: string; readonly commands: string };

const PAGES = [
  'README.md',
  ...['docs', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];
const BLOCKS: readonly Block[] = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, commands = '']) => ({ page, commands }))
    .filter(({ commands }) => /^npm install /m.test(commands));
});

test('every package says how it is installed, from what is there today', () => {
  const pages = new Set(BLOCKS.map(({ page }) => page));
  const packages = readdirSync(join(ROOT, 'packages')).filter((name) => name !== 'operators');
  expect(packages.filter((name) => !pages.has(`packages/${name}/README.md`))).toEqual([]);
  const ours = readManifests().map(({ name }) => name);
  const byName = BLOCKS.filter(({ commands }) => commands.split(/\s+/).some((word) => ours.includes(word)));
  expect(byName).toEqual([]);
});

const isBuilt = existsSync(join(ROOT, 'packages/kubewright/dist/bundle/main.js'));
const needs = [...(isLong ? [] : ['npm run test:long']), ...(isBuilt ? [] : ['npm run build'])];
const title = 'what the documentation says to type in, in a new folder beside a clone with a release folder';

describe.skipIf(needs.length > 0)(needs.length === 0 ? title : `${title} [needs ${needs.join(', ')}]`, () => {
  let folder: string;
  let registry: Registry;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-lines-'));
    const release = join(folder, 'kubewright/release');
    mkdirSync(release, { recursive: true });
    await packPackages(release);
    // Nothing of ours is published.
    registry = await startRegistry([]);
  });
  afterAll(() => {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(BLOCKS)('$page: the packages install and load', async ({ page, commands }) => {
    const project = mkdtempSync(join(folder, 'project-'));
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'mine', type: 'module' }));
    const prefix = join(project, 'global');
    const env = { ...registry.env, npm_config_prefix: prefix, npm_config_update_notifier: 'false' };
    await run('bash', ['-ec', commands], project, env);
    if (page === 'packages/kubewright/README.md') {
      const version = await run(join(prefix, 'bin/kubewright'), ['--version'], project);
      expect(version.trim()).toBe(readManifests()[0]?.version);
      return;
    }
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(join(project, 'package.json'), 'utf8'),
    ) as Record<string, Readonly<Record<string, string>>>;
    const names = Object.keys({ ...dependencies, ...devDependencies }).filter((name) =>
      name.startsWith('@kube'),
    );
    const imports = names.map((name) => `import ${JSON.stringify(name)};`).join('\n');
    expect(names).not.toEqual([]);
    await run(process.execPath, ['--input-type=module', '-e', imports], project);
  });
});
