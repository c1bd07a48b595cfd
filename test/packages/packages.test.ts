import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOtherNodes, nodePackage, OWN_NODE } from '../../tools/nodejs/releases.mjs';
import { isLong } from '../support/seeds.ts';
import { makeFreshProject } from './fresh-project.ts';
import { type Manifest, packWorkspaces, type Packed, readJson, ROOT } from './packed.ts';
import { startRegistry } from './registry.ts';
import { run } from './run.ts';
import { runOperator } from './run-operator.ts';

const isBuilt = existsSync(join(ROOT, 'packages/kubewright/dist/bundle/main.js'));
const nodes = isBuilt && isLong ? [OWN_NODE, ...(await findOtherNodes())] : [];
const title = 'the packages, as they would be published, in a project outside the repository';

describe.skipIf(!isBuilt)(isBuilt ? title : `${title} [needs npm run build]`, () => {
  let folder: string;
  let packages: readonly Packed[];
  const installed = (name: string): string => join(folder, 'node_modules', name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-fresh-'));
    packages = await packWorkspaces(folder);
    const registry = await startRegistry(packages);
    await makeFreshProject(folder, packages, registry).finally(() => registry.close());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('publint finds no fault', async () => {
    for (const { manifest } of packages) {
      const { messages, pkg } = await publint({
        pkgDir: installed(manifest.name),
        pack: false,
        strict: true,
      });
      expect(messages.map((message) => `${manifest.name}: ${formatMessage(message, pkg)}`)).toEqual([]);
    }
  });

  test('each has the license, what every condition of its exports names, and the sources of its source maps', () => {
    const license = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
    for (const { manifest } of packages) {
      const home = installed(manifest.name);
      expect(readFileSync(join(home, 'LICENSE'), 'utf8')).toBe(license);
      const targets = targetsOf(manifest.exports ?? {}).filter((target) => !target.includes('*'));
      expect(targets.filter((target) => !existsSync(join(home, target)))).toEqual([]);
      expect(missingSources(home)).toEqual([]);
    }
  });

  test('kubewright is a bundle, and depends on nothing', () => {
    const { dependencies } = readJson(join(installed('kubewright'), 'package.json')) as Manifest;
    expect(dependencies).toBeUndefined();
  });

  test.each(isLong ? ['nodenext', 'bundler'] : ['nodenext'])(
    'everything compiles with moduleResolution %s',
    async (resolution) => {
      const tsc = 'node_modules/typescript/bin/tsc';
      await run(process.execPath, [tsc, '-p', `tsconfig.${resolution}.json`], folder);
    },
  );

  describe.each(nodes.map((node) => [node.version, node] as const))('Node %s', (version, { path = '' }) => {
    const needs = path === '' ? ` [needs ${nodePackage(version)} from npm]` : '';
    const testHere = test.skipIf(path === '');

    testHere(
      `every entry loads, and the guide's operator passes its test and its simulation${needs}`,
      async () => {
        const options = ['--maxWorkers=1', '--no-isolate', '--reporter=dot'];
        const out = await run(path, ['node_modules/vitest/vitest.mjs', 'run', ...options], folder);
        expect(out).toMatch(/Test Files .*3 passed/);
      },
    );

    testHere(`the guide's operator runs on a cluster of the command line${needs}`, async () => {
      await runOperator(path, folder);
    });
  });
});

/** Every file of `exports`, whatever the conditions: publint knows the usual ones only. */
function targetsOf(exports: unknown): string[] {
  if (typeof exports === 'string') return [exports];
  return Object.values(exports as object).flatMap((target) => targetsOf(target));
}

/** Files that source maps below `home` name, and that are not there. */
function missingSources(home: string): string[] {
  const maps = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.map'),
  );
  return maps.flatMap((map) => {
    const { sources } = readJson(join(home, map)) as { sources: readonly string[] };
    return sources.map((source) => resolve(home, dirname(map), source)).filter((path) => !existsSync(path));
  });
}
