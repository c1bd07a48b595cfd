import { describe, expect, test } from 'vitest';
import type { Stored } from '@kubewright/kube';
import type { Composition, ResourceSlice } from './api.ts';
import { isLeftover, otherSlices, sliceTask } from './slice-task.ts';

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

const dropped = (status: object = {}): Composition => ({
  ...composition({}, status),
  spec: { synthesizer: { name: 'shop' } },
});

const APPLIED: ResourceSlice = {
  ...slice('other'),
  spec: { synthesisUUID: 'x' },
  status: { resources: [{ reconciled: true }] },
};
const NAMES_IT = { resourceSlices: [{ name: 'other' }] };

describe('what is to be done about a slice', () => {
  const deleting = { simplified: { status: 'Deleting' } };

  test.each<[what: string, slice: ResourceSlice, composition: Composition | undefined, task: string]>([
    ['that is listed', slice('listed'), composition(), 'apply'],
    ['that the status does not list yet', slice('other'), composition(), 'nothing'],
    ['that its synthesizer has dropped', slice('other'), dropped(), 'prune'],
    [
      'of a synthesizer that has not begun',
      slice('other'),
      dropped({ currentSynthesis: undefined }),
      'nothing',
    ],
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

describe('the other slices of a synthesis', () => {
  const [here, listed, going] = [
    slice('here'),
    slice('listed'),
    slice('going', GOING),
  ] as Stored<ResourceSlice>[];
  const owned = [here, listed, going].filter((one) => one !== undefined);
  const names = (of: Composition, known = owned): readonly string[] | undefined =>
    otherSlices(slice('here'), of, known)?.map(({ metadata }) => metadata.name);

  test('without a synthesizer: all that are there, whatever the status lists', () => {
    expect(names(composition({}, { currentSynthesis: { resourceSlices: [] } }))).toEqual(['listed']);
  });

  test('with a synthesizer: those that it lists, if all are known', () => {
    expect(names(dropped())).toEqual(['listed']);
    expect(names(dropped(), [])).toBeUndefined();
  });

  test('of a Composition that is being deleted: those that were listed', () => {
    expect(names(composition(GOING))).toEqual(['listed']);
  });
});

test('the server knows which slices are gone while a Composition is deleted', () => {
  const status = { currentSynthesis: { resourceSlices: [{ name: 'listed' }, { name: 'gone' }] } };
  const going = composition(GOING, status);
  expect(otherSlices(slice('listed'), going, [])).toBeUndefined();
  expect(otherSlices(slice('listed'), going, [], true)).toEqual([]);
  expect(otherSlices(slice('listed'), composition({}, status), [], true)).toEqual([]);
  expect(otherSlices(slice('listed'), dropped(status), [], true)).toBeUndefined();
});

test.each<[what: string, slice: ResourceSlice, composition: Composition, expected: boolean]>([
  ['that was applied once', APPLIED, dropped(), true],
  ['that was never applied: it may be of a synthesis to come', slice('other'), dropped(), false],
  ['of the previous synthesis', APPLIED, dropped({ previousSynthesis: NAMES_IT }), false],
  ['of the synthesis in flight', APPLIED, dropped({ inFlightSynthesis: { uuid: 'x' } }), false],
  ['without a synthesizer', APPLIED, composition(), false],
  ['that is deleted already', { ...APPLIED, metadata: { ...APPLIED.metadata, ...GOING } }, dropped(), false],
])('a slice is left over: one %s', (_what, one, owned, expected) => {
  expect(isLeftover(one, owned)).toBe(expected);
});
