import { expect, test } from 'vitest';
import type { ResourceState } from '../api.ts';
import { type DesiredManifest, readManifest } from '../read-manifest.ts';
import { precedenceOf } from './precedence.ts';

const READY: ResourceState = { reconciled: true, ready: '2026-01-01T00:00:00Z' };

function read(object: object, group: number, name: string, deleted = false): DesiredManifest {
  const annotations = { 'eno.azure.io/readiness-group': String(group) };
  const metadata = { name, namespace: 'shop', annotations };
  const manifest = readManifest({ manifest: JSON.stringify({ ...object, metadata }), deleted });
  return typeof manifest === 'string' ? expect.unreachable(manifest) : manifest;
}

const config = (group: number, name = 'a', deleted = false) =>
  read({ apiVersion: 'v1', kind: 'ConfigMap' }, group, name, deleted);
const patch = (group: number) =>
  read(
    { apiVersion: 'eno.azure.io/v1', kind: 'Patch', patch: { apiVersion: 'v1', kind: 'ConfigMap' } },
    group,
    'a',
  );

test.each<
  [what: string, first: DesiredManifest, state: ResourceState, later: DesiredManifest, expected: boolean]
>([
  ['until it is done', patch(1), {}, config(2), false],
  ['afterwards', patch(1), READY, config(2), true],
  ['by a Patch too', config(1), READY, patch(2), true],
  ['not by one of the same group', patch(1), READY, config(1), false],
  ['not by one of an earlier group', patch(2), READY, config(1), false],
  ['not by one of another object', patch(1), READY, config(2, 'b'), false],
])('a manifest is superseded by a later one: %s', (_what, first, state, later, expected) => {
  const { isSuperseded } = precedenceOf([
    { manifest: first, state },
    { manifest: later, state: {} },
  ]);
  expect(isSuperseded(first)).toBe(expected);
});

test('a later one waits for other objects of the groups before it', () => {
  const first = patch(1);
  const { isSuperseded } = precedenceOf([
    { manifest: first, state: READY },
    { manifest: config(1, 'b'), state: {} },
    { manifest: config(2), state: {} },
  ]);
  expect(isSuperseded(first)).toBe(false);
});

test.each([
  ['of the same group', config(1), false],
  ['of a later group', config(2), false],
  ['of an earlier group', config(0), true],
  ['of another object', config(1, 'b'), true],
  ['that is a tombstone', config(1, 'a', true), true],
  ['that is a Patch', patch(1), true],
])('a Patch beside a manifest %s', (_what, other, expected) => {
  const own = patch(1);
  const { prevails } = precedenceOf([own, other].map((manifest) => ({ manifest, state: {} })));
  expect(prevails(own)).toBe(expected);
});
