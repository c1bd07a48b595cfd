import { describe, expect, test } from 'vitest';
import type { ResourceState } from '../api.ts';
import { type DesiredManifest, readManifest } from '../read-manifest.ts';
import { Turns } from './turns.ts';

function manifest(
  kind: string,
  annotations: Readonly<Record<string, string>> = {},
  rest = {},
): DesiredManifest {
  const own = Object.entries(annotations).map(([key, value]) => [`eno.azure.io/${key}`, value]);
  const metadata = { name: 'n', annotations: Object.fromEntries(own) };
  const apiVersion = kind === 'CustomResourceDefinition' ? 'apiextensions.k8s.io/v1' : 'example.com/v1';
  const read = readManifest({ manifest: JSON.stringify({ apiVersion, kind, metadata, ...rest }) });
  return typeof read === 'string' ? expect.unreachable(read) : read;
}

const READY: ResourceState = { reconciled: true, ready: '2026-01-01T00:00:00Z' };
const UNREADY: ResourceState = { reconciled: true };
const GONE: ResourceState = { deleted: true };
const GONE_READY: ResourceState = { ...GONE, ready: '2026-01-01T00:00:00Z' };
const group = (readiness: string) => manifest('A', { 'readiness-group': readiness });
const lastGroup = (deletion: string) => manifest('A', { 'deletion-group': deletion });

describe('while manifests are applied', () => {
  test.each<[what: string, seen: DesiredManifest, state: ResourceState, next: DesiredManifest, due: boolean]>(
    [
      ['a later group waits', group('1'), UNREADY, group('2'), false],
      ['until the earlier one is ready', group('1'), READY, group('2'), true],
      ['or gone', group('1'), GONE_READY, group('2'), true],
      ['but not until it failed open and is not there', group('1'), GONE, group('2'), false],
      ['an earlier one does not', group('2'), UNREADY, group('-1'), true],
      ['nor the same', group('1'), UNREADY, group('1'), true],
      ['no group is group 0', manifest('A'), UNREADY, group('1'), false],
      ['a group that is no integer is group 0', group('x'), UNREADY, group('1'), false],
      ['infrastructure comes first', manifest('ServiceAccount'), UNREADY, manifest('A'), false],
      ['unless it has a group', manifest('Secret', { 'readiness-group': '3' }), UNREADY, manifest('A'), true],
    ],
  )('%s', (_what, seen, state, next, due) => {
    const turns = new Turns(false);
    turns.saw({ manifest: seen, state });
    expect(turns.isDue(next)).toBe(due);
  });

  test('a custom resource waits for its definition, in the same group too', () => {
    const spec = { group: 'example.com', names: { kind: 'A' } };
    const definition = manifest('CustomResourceDefinition', { 'readiness-group': '0' }, { spec });
    const turns = new Turns(false);
    const items = [{ manifest: manifest('A') }, { manifest: definition }];
    expect(turns.order(items)[0]?.manifest).toBe(definition);

    turns.saw({ manifest: definition, state: UNREADY });
    expect([turns.isDue(manifest('A')), turns.isDue(manifest('B'))]).toEqual([false, true]);
  });
});

describe('while a Composition is deleted', () => {
  test.each<[what: string, seen: DesiredManifest, state: ResourceState, next: DesiredManifest, due: boolean]>(
    [
      ['a later group waits', lastGroup('1'), READY, lastGroup('2'), false],
      ['until the earlier one is gone', lastGroup('1'), GONE, lastGroup('2'), true],
      ['no group waits for nothing', lastGroup('1'), READY, manifest('A'), true],
      ['and nothing waits for it', manifest('A'), READY, lastGroup('2'), true],
      ['infrastructure goes last', lastGroup('1'), READY, manifest('Secret'), false],
    ],
  )('%s', (_what, seen, state, next, due) => {
    const turns = new Turns(true);
    turns.saw({ manifest: seen, state });
    expect(turns.isDue(next)).toBe(due);
  });
});
