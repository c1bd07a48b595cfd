import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseYamlStream } from '@kubewright/kube/yaml';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../packages/kubewright/package.json' with { type: 'json' };
import { findKubectl } from '../../tools/assets/find.mjs';
import { krewManifest } from '../../tools/release/krew-manifest.ts';
import { ROOT, runNpm } from '../../tools/release/run-npm.ts';

type Plugin = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly platforms: readonly {
      readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
      readonly uri: string;
      readonly sha256: string;
      readonly bin: string;
    }[];
  };
};

const pluginOf = (text: string): Plugin => parseYamlStream(text)[0] as unknown as Plugin;
const kubectl = findKubectl();
const needs = [
  ...(existsSync(join(ROOT, 'packages/kubewright/dist/bundle/main.js')) ? [] : ['npm run build']),
  ...(process.platform === 'win32' ? ['tar and symbolic links'] : []),
];

test('the manifest for krew has what krew checks', () => {
  const archive = Buffer.from('an archive');
  const plugin = pluginOf(krewManifest('1.2.3', 'kubewright-1.2.3.tgz', archive));
  expect(plugin).toMatchObject({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'wright' },
  });
  const { version, shortDescription, platforms } = plugin.spec;
  expect(version).toMatch(/^v\d+\.\d+\.\d+$/);
  // Longer ones are cut in "kubectl krew search".
  expect(shortDescription).toMatch(/^[^\r\n]{1,60}$/);
  expect(platforms.map(({ selector }) => selector.matchLabels)).toEqual([{ os: 'darwin' }, { os: 'linux' }]);
  for (const { uri, sha256, bin } of platforms) {
    expect(uri).toBe(
      'https://github.com/kubewright/kubewright/releases/download/v1.2.3/kubewright-1.2.3.tgz',
    );
    expect(sha256).toBe(createHash('sha256').update(archive).digest('hex'));
    expect(bin).not.toMatch(/^\/|\.\./);
  }
});

const suffix = needs.length === 0 ? '' : ` [needs ${needs.join(', ')}]`;
test.skipIf(needs.length > 0)(`what krew unpacks and links runs as kubectl wright${suffix}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-krew-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const out = runNpm('pack', '-w', 'kubewright', '--ignore-scripts', '--json', '--pack-destination', folder);
  const [{ filename }] = JSON.parse(out) as [{ readonly filename: string }];
  const text = krewManifest(manifest.version, filename, readFileSync(join(folder, filename)));
  const [platform] = pluginOf(text).spec.platforms;
  const [store, bin] = ['store', 'bin'].map((name) => join(folder, name)) as [string, string];
  mkdirSync(store);
  mkdirSync(bin);
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', store]);
  symlinkSync(join(store, platform?.bin ?? ''), join(bin, 'kubectl-wright'));
  const PATH = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  const [command, ...args] = kubectl === undefined ? [join(bin, 'kubectl-wright')] : [kubectl, 'wright'];
  const printed = execFileSync(command, [...args, '--version'], { env: { PATH }, encoding: 'utf8' });
  expect(printed).toBe(`${manifest.version}\n`);
});
