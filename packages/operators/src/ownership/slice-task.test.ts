import { describe, expect, test } from 'vitest';
import type { Composition, ResourceSlice } from './api.ts';
import { sliceTask } from './slice-task.ts';

const FINALIZERS = ['eno.azure.io/cleanup'];
const GOING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const owner = {
  apiVersion: 'eno.azure.io/v1',
  kind: 'Composition',
  name: 'shop',
  uid: 'u',
  controller: true,
};

const slice = (name: string, metadata: object = {}): ResourceSlice => ({
  apiVersion: 'eno.azure.io/v1',
  kind: 'ResourceSlice',
  metadata: { name, namespace: 'ns', ownerReferences: [owner], ...metadata },
});
const composition = (metadata: object = {}, status: object = {}): Composition => ({
  apiVersion: 'eno.azure.io/v1',
  kind: 'Composition',
  metadata: { name: 'shop', namespace: 'ns', uid: 'u', finalizers: FINALIZERS, ...metadata },
  status: { currentSynthesis: { resourceSlices: [{ name: 'listed' }] }, ...status },
});

describe('what is to be done about a slice', () => {
  const deleting = { simplified: { status: 'Deleting' } };

  test.each<[what: string, slice: ResourceSlice, composition: Composition | undefined, task: string]>([
    ['that is listed', slice('listed'), composition(), 'apply'],
    ['that no synthesis lists', slice('other'), composition(), 'prune'],
    [
      'before there is a synthesis',
      slice('other'),
      composition({}, { currentSynthesis: undefined }),
      'nothing',
    ],
    ['that is deleted', slice('listed', GOING), composition(), 'prune'],
    ['without a Composition', slice('listed'), undefined, 'nothing'],
    ['without a Composition, deleted', slice('listed', GOING), undefined, 'release'],
    [
      'of a Composition of that name created since',
      slice('listed', GOING),
      composition({ uid: 'v' }),
      'release',
    ],
    ['that nobody controls', slice('listed', { ownerReferences: [] }), composition(), 'nothing'],
    ['whose Composition is being deleted', slice('listed'), composition(GOING, deleting), 'delete'],
    ['the same, deleted too', slice('listed', GOING), composition(GOING, deleting), 'delete'],
    ['whose Composition waits for others', slice('listed'), composition(GOING), 'apply'],
    ['the same, deleted', slice('listed', GOING), composition(GOING), 'nothing'],
    ['of an older synthesis', slice('other'), composition(GOING, deleting), 'prune'],
    [
      'whose Composition is released',
      slice('listed'),
      composition({ ...GOING, finalizers: [] }, deleting),
      'nothing',
    ],
    [
      'the same, deleted too',
      slice('listed', GOING),
      composition({ ...GOING, finalizers: [] }, deleting),
      'release',
    ],
  ])('%s', (_what, of, by, task) => {
    expect(sliceTask(of, by)).toBe(task);
  });
});
