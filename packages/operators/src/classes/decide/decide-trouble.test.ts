import { describe, expect, test } from 'vitest';
import { ANNOTATIONS, FINALIZER } from '../api.ts';
import {
  at,
  childrenOf,
  classOf,
  conditionsIn,
  decidedAt,
  liveOf,
  renderingOf,
  SETTINGS,
  statusOf,
  timeAt,
  waitingPod,
} from '../testing/class-bench.ts';
import { decideRefused } from './decide-class.ts';
import { titleOf } from './observed-class.ts';
import { TABLE } from './table.ts';

/** With its finalizer, and nothing applied yet. */
const HELLO = classOf({ status: { phase: 'pending' } });
const progressingSince = (since: number, lifecycle = {}) => ({
  ...HELLO,
  status: statusOf(HELLO, 'progressing', 'Progressing', since, lifecycle),
});
const UNREADY = childrenOf(HELLO, { hello: 0 });
const READY = childrenOf(HELLO);

/** The status that a class has for good once it is available. */
const AVAILABLE = {
  ...HELLO,
  status: decidedAt(30, progressingSince(0, { ready: 1 }), READY).decision.status ?? {},
};

describe('objects that go, and that nobody wants', () => {
  test('CRT-S33 CRT-S36 CRT-S37 CRT-D02 CRT-D24 a missing child is applied again', () => {
    const [deployment, service] = READY;
    const told = decidedAt(900, AVAILABLE, service === undefined ? [] : [service]);
    expect(told).toMatchObject({
      phase: 'degraded',
      reason: 'ChildMissing',
      action: 'apply Deployment/hello',
    });
    expect(told.message).toBe('Expected Deployment/hello not found.');
    const other = decidedAt(900, AVAILABLE, deployment === undefined ? [] : [deployment]);
    expect(other).toMatchObject({ reason: 'ChildMissing', action: 'apply Service/hello' });
    expect(decidedAt(60, progressingSince(0))).toMatchObject({ reason: 'ChildMissing' });
  });

  test('CRT-D06 the data grid alone is not available', () => {
    const odgm = classOf({ odgm: true });
    const grid = childrenOf(odgm).filter(({ metadata }) => metadata.name.startsWith('hello-odgm'));
    const status = statusOf(odgm, 'progressing', 'Progressing', 0);
    expect(decidedAt(60, { ...odgm, status }, grid)).toMatchObject({
      phase: 'degraded',
      reason: 'ChildMissing',
      action: 'apply Deployment/hello',
    });
  });

  test('CRT-S38 not so within the lag of a cache', () => {
    const told = decidedAt(2, progressingSince(0));
    // Then it counts.
    expect(told).toMatchObject({ phase: 'progressing', action: '-', requeue: 3, events: [] });
  });

  test('CRT-S33 CRT-S38 nor any longer than that: the grace of an available class does not keep it missing', () => {
    const [, service] = READY;
    const status = statusOf(HELLO, 'available', 'Ready', 0, { applied_at: timeAt(899) });
    const told = decidedAt(901, { ...HELLO, status }, service === undefined ? [] : [service]);
    expect(told).toMatchObject({ phase: 'available', action: '-', requeue: 3 });
    const later = { ...HELLO, status: told.decision.status ?? {} };
    expect(decidedAt(904, later, service === undefined ? [] : [service])).toMatchObject({
      reason: 'ChildMissing',
      action: 'apply Deployment/hello',
    });
  });

  test('CRT-S40 CRT-S41 CRT-S45 orphans go when their successors are ready', () => {
    const two = classOf({ functions: ['a', 'b'] });
    const orphans = childrenOf(two, { 'hello-fn-0': 0 });
    expect(decidedAt(20, progressingSince(0), [...UNREADY, ...orphans])).toMatchObject({ action: '-' });
    const told = decidedAt(30, progressingSince(0), [...READY, ...orphans]);
    expect(told).toMatchObject({ phase: 'available', action: 'delete Deployment/hello-fn-0' });
    expect(told.events).toEqual(['Normal Available', 'Normal OrphanDeleted']);
    // One by one, until all four are gone.
    const status = told.decision.status ?? {};
    const deleted = orphans.map((_one, gone) => {
      const next = decidedAt(31, { ...HELLO, status }, [...READY, ...orphans.slice(gone)]);
      expect(next.phase).toBe('available');
      return next.action;
    });
    expect(deleted).toEqual(orphans.map((object) => `delete ${titleOf(object)}`));
    expect(deleted).toHaveLength(4);
    expect(decidedAt(32, { ...HELLO, status }, READY)).toMatchObject({ action: '-', requeue: undefined });
  });

  test("CRT-S46 what bears our label and is somebody else's stays", () => {
    const other = { ...classOf({ functions: ['a', 'b'] }) };
    const theirs = childrenOf({ ...other, metadata: { ...other.metadata, uid: 'u-2' } });
    expect(decidedAt(900, AVAILABLE, [...READY, ...theirs])).toMatchObject({
      phase: 'available',
      action: '-',
    });
  });

  test('CRT-S47 CRT-S48 the data grid has to be ready too', () => {
    const odgm = classOf({ odgm: true });
    const status = statusOf(odgm, 'progressing', 'Progressing', 0);
    const unready = childrenOf(odgm, { 'hello-odgm': 0 });
    expect(decidedAt(30, { ...odgm, status }, unready)).toMatchObject({ phase: 'progressing', requeue: 8 });
    expect(decidedAt(30, { ...odgm, status }, childrenOf(odgm))).toMatchObject({ phase: 'available' });
  });

  test('CRT-S63 an object of our name that is not ours is left alone', () => {
    const foreign = READY.map((object) => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [] },
    }));
    const told = decidedAt(0, HELLO, foreign);
    expect(told).toMatchObject({ phase: 'degraded', reason: 'NotOwned', action: '-', requeue: 300 });
  });
});

describe('what cannot be applied', () => {
  test('CRT-S54 a function without image', () => {
    const [main] = HELLO.spec.functions;
    const functions = main === undefined ? [] : [{ function_key: main.function_key }];
    const told = decidedAt(0, { ...HELLO, spec: { ...HELLO.spec, functions } });
    expect(told).toMatchObject({ phase: 'degraded', reason: 'ApplyInvalid', action: '-', requeue: 300 });
    expect(told.events).toEqual(['Warning ApplyInvalid']);
    expect(told.message).toBe(
      'Validation failed: function main has neither container_image nor wasm_module_url.',
    );
  });

  const refusedBy = (reason: string, code?: number) =>
    decideRefused(
      { runtime: HELLO, settings: SETTINGS, rendered: renderingOf(HELLO), live: [], pods: [] },
      { reason, message: 'no', ...(code === undefined ? {} : { code }) },
      at(2),
    );

  test.each([
    ['CRT-S55 rejected as invalid', 'Invalid', 422, 'ApplyInvalid', 300],
    ['CRT-S56 CRT-D23 owned by another manager', 'Conflict', 409, 'Conflict', 10],
    ['CRT-S62 forbidden', 'Forbidden', 403, 'ApplyForbidden', 10],
    ["CRT-S63 somebody else's", 'NotOwned', undefined, 'NotOwned', 300],
  ])('%s', (_title, reason, code, expected, requeue) => {
    const decision = refusedBy(reason, code);
    expect(decision).toMatchObject({ reason: expected, requeueAfter: requeue * 1000 });
    expect(decision.status).toMatchObject({ phase: 'degraded' });
    expect(decision.events).toMatchObject([{ type: 'Warning', reason: expected }]);
  });

  test('a class that is being deleted stays so, says what is in the way, and tries again', () => {
    const metadata = { ...HELLO.metadata, deletionTimestamp: timeAt(0) };
    const runtime = { ...HELLO, metadata, status: statusOf(HELLO, 'deleting', 'Deleting', 0) };
    const decision = decideRefused(
      { runtime, settings: SETTINGS, rendered: renderingOf(HELLO), live: [], pods: [] },
      { reason: 'Forbidden', code: 403, message: 'a webhook says no' },
      at(2),
    );
    expect(decision).toMatchObject({ reason: 'Deleting', requeueAfter: 2000, events: [] });
    expect(decision.status).toMatchObject({ phase: 'deleting', message: 'a webhook says no' });
  });

  test('CRT-S57 CRT-S58 CRT-S59 it is tried again after a while, and may recover', () => {
    const degraded = { ...HELLO, status: refusedBy('Conflict', 409).status ?? {} };
    expect(decidedAt(6, degraded)).toMatchObject({
      reason: 'Conflict',
      action: '-',
      requeue: 10,
      events: [],
    });
    expect(decidedAt(12, degraded)).toMatchObject({ reason: 'Conflict', action: 'apply Deployment/hello' });
    const told = decidedAt(12, degraded, READY);
    expect(told).toMatchObject({ phase: 'progressing', reason: 'Recovering', requeue: 10 });
    expect(told.events).toEqual(['Normal Applied', 'Normal Recovering']);
    expect(told.decision.status?.lifecycle).not.toHaveProperty('refused');
  });

  test('another generation is tried at once', () => {
    const status = refusedBy('Conflict', 409).status ?? {};
    const next = classOf({ image: 'hello:2', generation: 2, status });
    expect(decidedAt(3, next)).toMatchObject({ phase: 'applying', action: 'apply Deployment/hello' });
  });

  test('CRT-S64 a paused class is left as it is, and says so until it is resumed', () => {
    const changed = { image: 'hello:2', generation: 2 };
    const told = decidedAt(900, classOf({ ...changed, paused: true, status: AVAILABLE.status }), READY);
    expect(told).toMatchObject({ phase: 'available', action: '-', requeue: undefined, events: [] });
    const { conditions = [], ...rest } = told.decision.status ?? {};
    const { conditions: before = [], ...others } = AVAILABLE.status;
    expect(rest).toEqual(others);
    expect(conditions.slice(0, -1)).toEqual(before);
    expect(conditions.at(-1)).toMatchObject({ type: 'Paused', status: 'True', observedGeneration: 2 });
    const status = told.decision.status ?? {};
    expect(decidedAt(960, classOf({ ...changed, paused: true, status }), READY).decision.status).toBe(status);
    const resumed = decidedAt(970, classOf({ ...changed, status }), READY);
    expect(resumed).toMatchObject({ phase: 'applying', action: 'apply Deployment/hello' });
    expect(conditionsIn(resumed)).toMatchObject({ Paused: 'False/Resumed', Progressing: 'True/Applying' });
  });
});

test('CRT-S52 CRT-S53 a class without functions', () => {
  const none = classOf({ functions: [] });
  const told = decidedAt(0, { ...none, status: statusOf(none, 'applying', 'Applying', 0) });
  expect(told).toMatchObject({ phase: 'available', message: 'no workloads' });
  const odgm = classOf({ functions: [], odgm: true });
  const status = statusOf(odgm, 'progressing', 'Progressing', 0);
  expect(decidedAt(9, { ...odgm, status }, childrenOf(odgm))).toMatchObject({ phase: 'available' });
});

test('CRT-S72 a class that is meant to be at zero is available', () => {
  const zero = classOf({ minScale: 0 });
  const status = statusOf(zero, 'progressing', 'Progressing', 0);
  const told = decidedAt(9, { ...zero, status }, childrenOf(zero));
  expect(told).toMatchObject({ phase: 'available' });
  expect(told.decision.status?.conditions?.find(({ type }) => type === 'Serving')?.status).toBe('True');
});

test('CRT-S73 of several reasons the gravest is shown, and all are listed', () => {
  const unschedulable = {
    ...waitingPod(HELLO, ''),
    metadata: { ...waitingPod(HELLO, '').metadata, name: 'two' },
  };
  const conditions = [
    {
      type: 'PodScheduled',
      status: 'False' as const,
      reason: 'Unschedulable',
      lastTransitionTime: timeAt(0),
    },
  ];
  const pods = [
    waitingPod(HELLO, 'CrashLoopBackOff', { restartCount: 3 }),
    { ...unschedulable, status: { conditions } },
  ];
  const told = decidedAt(130, progressingSince(0), UNREADY, pods);
  expect(told).toMatchObject({ phase: 'degraded', reason: 'CrashLoop', requeue: 10 });
  expect(told.decision.status?.lifecycle?.reasons).toEqual(['CrashLoop', 'Unschedulable']);
});

test('every row of the table can be read', () => {
  expect(TABLE.map(({ when }) => when)).toHaveLength(new Set(TABLE.map(({ when }) => when)).size);
  for (const { when, phase, does, until } of TABLE) expect([when, phase, does, until]).not.toContain('');
});

test('what is applied bears its hash, and the finalizer is the original one', () => {
  const [object] = renderingOf(HELLO).objects;
  expect(object?.metadata.annotations?.[ANNOTATIONS.appliedHash]).toMatch(/^[0-9a-f]{16}$/);
  expect(FINALIZER).toBe('oaas.io/finalizer');
  expect(object === undefined ? undefined : liveOf(object, HELLO).kind).toBe('Deployment');
});
