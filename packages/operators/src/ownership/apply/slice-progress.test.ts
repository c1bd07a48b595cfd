import { expect, test } from 'vitest';
import type { InventoryEntry, ResourceSlice, ResourceState } from '../api.ts';
import { describeProgress, sliceProgress } from './slice-progress.ts';

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name });
const done: ResourceState = { reconciled: true, ready: '2026-01-01T00:00:00Z' };

function slice(
  states: Readonly<Record<string, ResourceState>>,
  inventory: readonly InventoryEntry[] = [],
  metadata: object = {},
): ResourceSlice {
  const resources = Object.keys(states).map((name) => ({
    manifest: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' } }),
  }));
  return {
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 's', namespace: 'shop', generation: 1, ...metadata },
    spec: { resources },
    status: { observedGeneration: 1, resources: Object.values(states), inventory: [...inventory] },
  };
}

const shown = (...slices: readonly ResourceSlice[]): string =>
  describeProgress(
    slices.map((one) => sliceProgress(one)),
    2,
  );

test('an object with an error is named before those that are only open', () => {
  const failed = { reconciled: false, reconciliationError: 'invalid' };
  expect(sliceProgress(slice({ a: { reconciled: true }, b: {}, c: failed, d: done }))).toEqual({
    isDone: false,
    isSeen: true,
    objects: 4,
    ready: 1,
    missing: ['ConfigMap shop/c: invalid', 'ConfigMap shop/a: not ready', 'ConfigMap shop/b: not applied'],
  });
});

test('one that was ready and is not what its manifest says is not ready', () => {
  expect(sliceProgress(slice({ a: { ...done, reconciled: false } })).isDone).toBe(false);
});

test('what no manifest has any more is waited for, and named with why it is there', () => {
  const left = [configMap('a'), { ...configMap('b'), error: 'denied' }, configMap('c')];
  const now = slice({ a: done }, left);
  expect(sliceProgress(now)).toMatchObject({
    isDone: false,
    missing: ['ConfigMap shop/b: cannot be deleted: denied', 'ConfigMap shop/c: not deleted yet'],
  });
  expect(sliceProgress(slice({ a: done }, [configMap('a')])).isDone).toBe(true);
});

test('a slice that goes is done when it is gone', () => {
  const going = slice({ a: done }, [configMap('a')], { deletionTimestamp: '2026-01-01T00:00:00Z' });
  expect(sliceProgress(going)).toMatchObject({
    isDone: false,
    objects: 0,
    missing: ['ConfigMap shop/a: not deleted yet'],
  });
});

test('states of another generation say nothing', () => {
  expect(sliceProgress(slice({ a: done }, [], { generation: 2 }))).toMatchObject({
    isSeen: false,
    missing: ['ConfigMap shop/a: not applied'],
  });
});

test('of several slices, so many objects are named and the others counted', () => {
  expect(shown(slice({ a: done, b: {} }), slice({ c: {}, d: {} }))).toBe(
    '1 of 4 objects are ready; ConfigMap shop/b: not applied; ConfigMap shop/c: not applied; and 1 more',
  );
});
