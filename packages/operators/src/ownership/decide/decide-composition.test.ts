import type { JsonObject, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Composition, ResourceSlice, ResourceState } from '../api.ts';
import { decideComposition as decideObserved, type ObservedComposition } from './decide-composition.ts';

const now = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
const time = '2026-01-02T03:04:05Z';

const FINALIZER = 'eno.azure.io/cleanup';

function composition(
  status?: JsonObject,
  spec: JsonObject = {},
  meta: object = { finalizers: [FINALIZER] },
): Stored<Composition> {
  return {
    apiVersion: 'eno.azure.io/v1',
    kind: 'Composition',
    metadata: { name: 'shop', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 2, ...meta },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

function slice(name: string, states: readonly ResourceState[], generation = 1): Stored<ResourceSlice> {
  return {
    apiVersion: 'eno.azure.io/v1',
    kind: 'ResourceSlice',
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', generation },
    spec: { resources: states.map(() => ({ manifest: '{}' })) },
    status: { resources: states, observedGeneration: 1 },
  };
}

type Seen = Pick<ObservedComposition, 'composition' | 'slices'> & Partial<ObservedComposition>;

function decideComposition(seen: Seen, at: Date) {
  return decideObserved({ unready: [], dependents: [], ...seen }, at);
}

const done = { reconciled: true, ready: '2026-01-01T00:00:00Z' };

describe('a Composition without a synthesizer', () => {
  test('takes the slices that it owns as its current synthesis, by name', () => {
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('b', [{}]), slice('a', [done])] },
      now,
    );

    expect(status).toEqual({
      currentSynthesis: {
        observedCompositionGeneration: 2,
        synthesized: time,
        resourceSlices: [{ name: 'a' }, { name: 'b' }],
      },
      simplified: { status: 'Reconciling' },
    });
  });

  test('is ready when all of its objects are, since the last became it', () => {
    const late = { reconciled: true, ready: '2026-01-01T12:00:00Z' };
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('a', [late, done])] },
      now,
    );

    expect(status?.currentSynthesis).toMatchObject({ reconciled: time, ready: late.ready });
    expect(status?.simplified).toEqual({ status: 'Ready' });
  });

  test('shows the error of an object', () => {
    const failing = { reconciled: false, reconciliationError: 'no such kind' };
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('a', [failing, done])] },
      now,
    );

    expect(status?.simplified).toEqual({ status: 'Reconciling', error: 'no such kind' });
  });

  test('does not believe states of an earlier generation', () => {
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('a', [done], 2)] },
      now,
    );

    expect(status?.currentSynthesis?.reconciled).toBeUndefined();
  });

  test('is not written when nothing changed', () => {
    const slices = [slice('a', [done])];
    const { status } = decideComposition({ composition: composition(), slices }, now);
    const later = new Date(now.getTime() + 60_000);

    expect(decideComposition({ composition: composition(status as JsonObject), slices }, later)).toEqual({
      reason: 'UpToDate',
    });
  });

  test('forgets a slice that is gone, and is synthesized anew', () => {
    const before = decideComposition(
      { composition: composition(), slices: [slice('a', [done]), slice('b', [done])] },
      now,
    );
    const later = new Date(now.getTime() + 60_000);

    const { status } = decideComposition(
      { composition: composition(before.status), slices: [slice('a', [done])] },
      later,
    );

    expect(status?.currentSynthesis).toMatchObject({
      resourceSlices: [{ name: 'a' }],
      synthesized: '2026-01-02T03:05:05Z',
    });
  });

  test('says nothing before it has a slice', () => {
    expect(decideComposition({ composition: composition(), slices: [] }, now).reason).toBe('NoSlices');
  });
});

describe('a Composition with a synthesizer', () => {
  const spec = { synthesizer: { name: 's' } };
  const synthesis = { uuid: 'a', synthesized: time, resourceSlices: [{ name: 'a' }] };

  test('keeps the synthesis that another program wrote, and gets the progress of its slices', () => {
    const slices = [slice('a', [done]), slice('next', [{}])];
    const { status } = decideComposition(
      { composition: composition({ currentSynthesis: synthesis, previousSynthesis: {} }, spec), slices },
      now,
    );

    expect(status).toEqual({
      currentSynthesis: { ...synthesis, reconciled: time, ready: done.ready },
      previousSynthesis: {},
      simplified: { status: 'Ready' },
    });
  });

  test('is not reconciled while a slice is missing', () => {
    const { status } = decideComposition(
      { composition: composition({ currentSynthesis: synthesis }, spec), slices: [] },
      now,
    );

    expect(status?.simplified).toEqual({ status: 'Reconciling' });
  });

  test('waits for its first synthesis', () => {
    const pending = decideComposition({ composition: composition({}, spec), slices: [] }, now);
    expect(pending.status).toEqual({ simplified: { status: 'PendingSynthesis' } });
  });
});

test('the synthesis before the current one is kept', () => {
  const first = decideComposition({ composition: composition(), slices: [slice('a', [done])] }, now);
  const { status } = decideComposition(
    { composition: composition(first.status), slices: [slice('b', [{}])] },
    now,
  );

  expect(status?.previousSynthesis).toEqual(first.status?.currentSynthesis);
  expect(status?.currentSynthesis).not.toHaveProperty('ready');
});

test('a Composition is held before anything else', () => {
  const { reason, action } = decideComposition(
    { composition: composition(undefined, {}, {}), slices: [slice('a', [done])] },
    now,
  );

  expect([reason, action?.type]).toEqual(['AddFinalizer', 'addFinalizer']);
});

describe('a Composition waits for those that it depends on', () => {
  const unready = [{ name: 'db', namespace: 'ns', reason: 'DependencyNotReady' }];

  test('before it is synthesized', () => {
    const { status } = decideComposition(
      { composition: composition(), slices: [slice('a', [{}])], unready },
      now,
    );

    expect(status).toEqual({
      dependencyStatus: { blocked: true, reason: 'WaitingOnDependencies', blockedBy: unready },
      simplified: { status: 'WaitingOnDependencies' },
    });
  });

  test('and not afterwards', () => {
    const before = {
      currentSynthesis: { resourceSlices: [{ name: 'a' }] },
      dependencyStatus: { blocked: true },
    };
    const { status } = decideComposition(
      { composition: composition(before), slices: [slice('a', [done])], unready },
      now,
    );

    expect(status?.simplified).toEqual({ status: 'Ready' });
    expect(status).not.toHaveProperty('dependencyStatus');
  });
});

describe('a Composition that is being deleted', () => {
  const going = { finalizers: [FINALIZER], deletionTimestamp: time };
  const current = { currentSynthesis: { ready: time, reconciled: time, resourceSlices: [{ name: 'a' }] } };
  const deleting = {
    currentSynthesis: { resourceSlices: [{ name: 'a' }], observedCompositionGeneration: 2 },
  };
  const begun = { ...deleting, simplified: { status: 'Deleting' } };
  const gone = { reconciled: true, deleted: true };

  test.each<[what: string, status: JsonObject, states: readonly ResourceState[], expected: object]>([
    ['first says so', current, [done], { reason: 'Deleting', status: begun }],
    ['does so even if nothing is left', current, [gone], { reason: 'Deleting', status: begun }],
    ['waits for its objects', begun, [gone, done], { reason: 'Deleting' }],
    [
      'deletes its slices when they are gone',
      begun,
      [gone],
      { reason: 'DeleteSlice', action: { type: 'deleteSlice', slice: { metadata: { name: 'a' } } } },
    ],
    [
      'reports what keeps them',
      begun,
      [{ reconciliationError: 'no' }],
      { status: { simplified: { status: 'Deleting', error: 'no' } } },
    ],
  ])('%s', (_what, status, states, expected) => {
    const observed = { composition: composition(status, {}, going), slices: [slice('a', states)] };
    expect(decideComposition(observed, now)).toMatchObject(expected);
  });

  test.each([
    ['waits until its slices are released', [FINALIZER], { reason: 'Deleting' }],
    [
      'is released then, although others hold them',
      ['others'],
      { reason: 'Deleted', action: { type: 'removeFinalizer' } },
    ],
  ])('%s', (_what, finalizers, expected) => {
    const one = slice('a', [gone]);
    const slices = [{ ...one, metadata: { ...one.metadata, deletionTimestamp: time, finalizers } }];
    expect(decideComposition({ composition: composition(begun, {}, going), slices }, now)).toMatchObject(
      expected,
    );
  });

  test('waits for what its slices applied and no longer mention', () => {
    const entry = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' };
    const held = slice('a', [gone]);
    const slices = [{ ...held, status: { ...held.status, inventory: [entry] } }];
    const decision = decideComposition({ composition: composition(begun, {}, going), slices }, now);
    expect(decision).toEqual({ reason: 'Deleting' });
  });

  test('waits for those that depend on it', () => {
    const dependents = [{ name: 'web', namespace: 'ns', reason: 'DependentNotDeleted' }];
    const observed = { composition: composition(current, {}, going), slices: [], dependents };
    expect(decideComposition(observed, now).status).toMatchObject({
      dependencyStatus: { blocked: true, reason: 'WaitingOnDependents', blockedBy: dependents },
      simplified: { status: 'WaitingOnDependents' },
    });
  });

  test('is left alone once it is released', () => {
    const decision = decideComposition(
      { composition: composition(begun, {}, { deletionTimestamp: time }), slices: [] },
      now,
    );
    expect(decision).toEqual({ reason: 'Deleting' });
  });
});
