import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object/kube-object.ts';
import { ignoreManagedFieldsTimestamps } from './managed-fields/ignore-managed-fields-timestamps.ts';
import { conflictOf, type Story, story } from './testing/story.ts';

describe('objects that nobody claims', () => {
  const untracked = (): Story => {
    const s = story().update('u', { replicas: 1 });
    return s.rewrite([]);
  };

  test('an empty list resets the claims, and updates stay untracked', () => {
    const s = untracked();
    expect(s.live?.metadata.managedFields).toBeUndefined();
    s.update('v', { replicas: 2 });
    expect(s.claims).toEqual({});
  });

  test('so does a list of one empty entry', () => {
    expect(story().update('u', { replicas: 1 }).rewrite([{}]).claims).toEqual({});
  });

  test('the first apply gives the rest to before-first-apply', () => {
    const s = untracked().apply('a', { tags: ['t'] });
    expect(s.claims).toEqual({ 'a/Apply': ['.tags[="t"]'], 'before-first-apply/Update': ['.replicas'] });
  });
});

describe('rewriting claims', () => {
  const shared = (): Story => story().apply('a', { replicas: 1 }).apply('b', { replicas: 1 });
  const entries = (s: Story): readonly ManagedFieldsEntry[] => s.live?.metadata.managedFields ?? [];

  test('moves them without an entry for who rewrites', () => {
    const s = shared();
    s.rewrite(entries(s).filter((entry) => entry.manager === 'a'));
    expect(s.claims).toEqual({ 'a/Apply': ['.replicas'] });
  });

  test.each<[string, ManagedFieldsEntry]>([
    ['no operation', { manager: 'z', apiVersion: 'ex.io/v1', fieldsType: 'FieldsV1' }],
    ['no apiVersion', { manager: 'z', operation: 'Apply', fieldsType: 'FieldsV1' }],
    [
      'another fieldsType',
      { manager: 'z', operation: 'Apply', apiVersion: 'ex.io/v1', fieldsType: 'FieldsV2' },
    ],
    [
      'a bad key',
      {
        manager: 'z',
        operation: 'Apply',
        apiVersion: 'ex.io/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { x: {} },
      },
    ],
  ])('one entry with %s voids the whole', (_, bad) => {
    const s = shared();
    const before = s.claims;
    expect(s.rewrite([...entries(s).slice(0, 1), bad]).claims).toEqual(before);
  });

  test('an entry without fields is none', () => {
    const s = shared();
    s.rewrite([
      ...entries(s),
      { manager: 'z', operation: 'Apply', apiVersion: 'ex.io/v1', fieldsType: 'FieldsV1' },
    ]);
    expect(Object.keys(s.claims).sort()).toEqual(['a/Apply', 'b/Apply']);
  });

  test('is ignored through a subresource', () => {
    const s = shared();
    const { apiVersion: _, kind: __, metadata: ___, ...body } = s.live as KubeObject;
    s.update('w', { ...body, metadata: { name: 'x', managedFields: [] } }, { subresource: 'status' });
    expect(Object.keys(s.claims).sort()).toEqual(['a/Apply', 'b/Apply']);
  });

  test('a write that differs in times alone is none', () => {
    const s = shared();
    const live = s.live as KubeObject;
    const managedFields = entries(s).map((entry) => ({ ...entry, time: '2030-01-01T00:00:00Z' }));
    const later = { ...live, metadata: { ...live.metadata, managedFields } };
    expect(ignoreManagedFieldsTimestamps(live, later)).toBe(live);
    expect(ignoreManagedFieldsTimestamps(live, { ...later, replicas: 7 })).not.toBe(live);
  });
});

test('of more than ten updaters the oldest become ancient-changes', () => {
  const s = story();
  const labels: Record<string, string> = {};
  for (let i = 0; i < 12; i++) {
    labels[`l${i}`] = '1';
    s.update(`u${String(i).padStart(2, '0')}`, { metadata: { name: 'x', labels: { ...labels } } });
  }
  expect(Object.keys(s.claims)).toHaveLength(10);
  expect(s.claims['ancient-changes/Update']).toEqual([
    '.metadata.labels',
    ...['l0', 'l1', 'l2'].map((l) => `.metadata.labels.${l}`),
  ]);
});

describe('kubectl, which once applied client-side', () => {
  const annotation = (body: JsonObject): JsonObject => ({
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
      apiVersion: 'ex.io/v1',
      kind: 'Thing',
      metadata: { name: 'x' },
      ...body,
    }),
  });

  test('takes over what its annotation holds, and keeps the annotation in step', () => {
    const s = story().update('kubectl-client-side-apply', {
      metadata: { name: 'x', annotations: annotation({ replicas: 1 }) },
      replicas: 1,
    });
    s.apply('kubectl', { replicas: 2 });
    expect(s.body['replicas']).toBe(2);
    expect(s.live?.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration']).toContain(
      '"replicas":2',
    );
  });

  test('conflicts where the field is not as the annotation has it', () => {
    const s = story().update('kubectl-client-side-apply', {
      metadata: { name: 'x', annotations: annotation({ replicas: 1 }) },
      replicas: 1,
    });
    s.update('other', { metadata: { name: 'x', annotations: annotation({ replicas: 1 }) }, replicas: 4 });
    expect(conflictOf(() => s.apply('kubectl', { replicas: 2 })).message).toContain('"other"');
  });
});
