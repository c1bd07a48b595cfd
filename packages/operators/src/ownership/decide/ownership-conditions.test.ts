import { expect, test } from 'vitest';
import type { OwnershipReport, ResourceSlice } from '../api.ts';
import { ownershipConditions } from './ownership-conditions.ts';

const [then, now] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];

/** A slice of ConfigMaps with these reports. */
function slice(...reports: readonly (OwnershipReport | undefined)[]): ResourceSlice {
  const manifest = (index: number) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'ns', name: `c${index}` } });
  return {
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 's', namespace: 'ns' },
    spec: { resources: reports.map((_report, index) => ({ manifest: manifest(index) })) },
    status: { resources: reports.map((ownership) => (ownership === undefined ? {} : { ownership })) },
  };
}

const blocked: OwnershipReport = { state: 'Blocked', reason: 'Unlisted', message: 'no' };

test('there are none while nothing is shared', () => {
  expect(ownershipConditions([], [slice(undefined)], 1, now)).toEqual([]);
});

test('each names its objects, and becomes False with the last of them', () => {
  const first = ownershipConditions([], [slice(undefined, blocked)], 1, then);
  expect(first).toEqual([
    {
      type: 'OwnershipBlocked',
      status: 'True',
      reason: 'Unlisted',
      message: 'ConfigMap ns/c1: no',
      observedGeneration: 1,
      lastTransitionTime: then,
    },
  ]);
  expect(ownershipConditions(first, [slice(undefined, blocked)], 1, now)).toBe(first);
  const moved: OwnershipReport = { state: 'Moved', message: 'moved from helm' };
  expect(ownershipConditions(first, [slice(moved)], 2, now)).toMatchObject([
    { type: 'OwnershipBlocked', status: 'False', reason: 'NothingBlocked', lastTransitionTime: now },
    {
      type: 'OwnershipMigrated',
      status: 'True',
      reason: 'Moved',
      message: 'ConfigMap ns/c0: moved from helm',
    },
  ]);
});

test('a message is bounded', () => {
  const long = { ...blocked, message: 'x'.repeat(1000) };
  const [condition] = ownershipConditions([], [slice(...Array.from({ length: 12 }, () => long))], 1, now);
  expect(condition?.message.length).toBeLessThan(3200);
  expect(condition?.message).toMatch(/and 2 more objects$/);
});
