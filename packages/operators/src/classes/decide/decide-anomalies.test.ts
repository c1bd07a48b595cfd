import { describe, expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import {
  at,
  childrenOf,
  classOf,
  decidedAt,
  podOf,
  renderingOf,
  SETTINGS,
  statusOf,
  timeAt,
  waitingPod,
} from '../testing/class-bench.ts';
import { decideClass, decideRefused } from './decide-class.ts';
import type { Live, LiveDeployment } from './observed-class.ts';

const HELLO = classOf();
const TWO = classOf({ functions: ['a', 'b'] });
const UNREADY = childrenOf(HELLO, { hello: 0 });
const READY = childrenOf(HELLO);
const PROGRESSING = { ...HELLO, status: statusOf(HELLO, 'progressing', 'Progressing', 0, { ready: 1 }) };
const AVAILABLE = { ...HELLO, status: decidedAt(30, PROGRESSING, READY).decision.status ?? {} };

type Conditions = NonNullable<NonNullable<LiveDeployment['status']>['conditions']>;

/** The Deployments say so since 0. */
function withCondition(
  live: readonly Live[],
  condition: Omit<Conditions[number], 'lastTransitionTime'>,
): readonly Live[] {
  const conditions = [{ ...condition, lastTransitionTime: timeAt(0) }];
  return live.map((object) =>
    object.kind === 'Deployment' ? { ...object, status: { ...object.status, conditions } } : object,
  );
}

const QUOTA = 'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2';
const FULL = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: QUOTA } as const;

describe('what is wrong for long enough', () => {
  test('CRT-S24 a crash loop while it recovers', () => {
    const recovering = { ...HELLO, status: statusOf(HELLO, 'progressing', 'Recovering', 200) };
    const pods = [waitingPod(HELLO, 'CrashLoopBackOff', { restartCount: 4 })];
    const told = decidedAt(206, recovering, UNREADY, pods);
    expect(told).toMatchObject({ phase: 'degraded', reason: 'CrashLoop', action: '-', requeue: 10 });
    expect(told.events).toEqual(['Warning CrashLoop']);
  });

  test('CRT-S28 a pod that finds no node', () => {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' } as const;
    const message = '0/3 nodes are available';
    const pods = [podOf(HELLO, { conditions: [{ ...condition, message, lastTransitionTime: timeAt(0) }] })];
    expect(decidedAt(119, PROGRESSING, UNREADY, pods)).toMatchObject({ phase: 'progressing', requeue: 1 });
    const told = decidedAt(130, PROGRESSING, UNREADY, pods);
    expect(told).toMatchObject({ phase: 'degraded', reason: 'Unschedulable', requeue: 10, message });
    expect(told.events).toEqual(['Warning Unschedulable']);
  });

  test('CRT-S29 pods that a quota does not allow', () => {
    const live = withCondition(UNREADY, FULL);
    expect(decidedAt(29, PROGRESSING, live)).toMatchObject({ phase: 'progressing', requeue: 1 });
    const told = decidedAt(31, PROGRESSING, live);
    expect(told).toMatchObject({ phase: 'degraded', reason: 'ReplicaFailure', requeue: 10, message: QUOTA });
    expect(told.events).toEqual(['Warning ReplicaFailure']);
  });

  test("CRT-S30 the Deployment's own deadline is over before ours", () => {
    const late = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' } as const;
    const told = decidedAt(300, PROGRESSING, withCondition(UNREADY, late));
    expect(told).toMatchObject({ phase: 'degraded', reason: 'Timeout', action: '-', requeue: 10 });
    expect(told.events).toEqual(['Warning Timeout']);
  });

  test('CRT-S31 after the timeout one of two becomes ready', () => {
    const runtime = { ...TWO, status: statusOf(TWO, 'degraded', 'Timeout', 600, { ready: 2 }) };
    const told = decidedAt(700, runtime, childrenOf(TWO, { 'hello-fn-1': 0 }));
    expect(told).toMatchObject({ phase: 'progressing', reason: 'Recovering', action: '-', requeue: 5 });
    expect(told.events).toEqual(['Normal Recovering']);
  });

  test('CRT-S32 after the timeout nothing changes', () => {
    const runtime = { ...HELLO, status: statusOf(HELLO, 'degraded', 'Timeout', 600, { ready: 1 }) };
    const told = decidedAt(800, runtime, UNREADY);
    expect(told).toMatchObject({ phase: 'degraded', reason: 'Timeout', requeue: 50, events: [] });
  });
});

describe('objects that go, and that nobody wants', () => {
  test('CRT-S34 the missing Deployment is there again: no longer degraded', () => {
    const missing = decidedAt(900, AVAILABLE, READY.slice(1));
    expect(missing).toMatchObject({ reason: 'ChildMissing', action: 'apply Deployment/hello' });
    expect(missing.events).toEqual(['Warning ChildMissing']);
    const told = decidedAt(900, { ...HELLO, status: missing.decision.status ?? {} }, UNREADY);
    expect(told).toMatchObject({ phase: 'progressing', action: '-', requeue: 5 });
  });

  test('CRT-S35 CRT-D01 one of two Deployments is missing', () => {
    const status = statusOf(TWO, 'available', 'Ready', 0);
    const live = childrenOf(TWO).filter(({ metadata }) => metadata.name !== 'hello-fn-1');
    const service = childrenOf(TWO).filter(({ kind }) => kind === 'Service');
    const told = decidedAt(900, { ...TWO, status }, [...live, ...service.slice(1)]);
    expect(told).toMatchObject({ phase: 'degraded', action: 'apply Deployment/hello-fn-1' });
    expect(told.message).toBe('Expected Deployment/hello-fn-1 not found.');
  });

  test('CRT-S39 a list that fails: nothing is concluded, and it is said once', () => {
    const more = { unobserved: ['Deployment'] };
    const told = decidedAt(900, AVAILABLE, [], [], more);
    expect(told).toMatchObject({ phase: 'available', reason: 'Ready', action: '-', requeue: 5 });
    expect(told.events).toEqual(['Warning ObservationFailed']);
    expect(told.message).toContain('Deployment cannot be listed');
    const { status = {} } = told.decision;
    expect(status.conditions).toBe(AVAILABLE.status.conditions);
    const again = decidedAt(905, { ...HELLO, status }, [], [], more);
    expect(again.decision.status).toBe(status);
    expect(again.events).toEqual([]);
    // Neither missing nor left: what is there counts as little as what is not.
    expect(decidedAt(906, AVAILABLE, [...READY, ...childrenOf(TWO)], [], more).action).toBe('-');
    const over = decidedAt(910, { ...HELLO, status }, READY);
    expect(over).toMatchObject({ phase: 'available', message: AVAILABLE.status.message, events: [] });
  });

  const orphans = childrenOf(TWO);

  test('CRT-S42 orphans that may be in the way of their successors go first', () => {
    const told = decidedAt(31, PROGRESSING, [...withCondition(UNREADY, FULL), ...orphans]);
    expect(told).toMatchObject({
      phase: 'degraded',
      reason: 'ReplicaFailure',
      action: 'delete Deployment/hello-fn-0',
    });
    expect(told.events).toEqual(['Warning ReplicaFailure', 'Normal OrphanDeleted']);
  });

  test('CRT-S43 an orphan that is going already', () => {
    const going = orphans.map((object): Live => {
      const metadata = { ...object.metadata, deletionTimestamp: timeAt(0) };
      return { ...object, metadata };
    });
    expect(decidedAt(900, AVAILABLE, [...READY, ...going])).toMatchObject({
      phase: 'available',
      action: '-',
      requeue: undefined,
    });
  });

  test('CRT-S44 orphans that stay although they are deleted', () => {
    const status = {
      ...AVAILABLE.status,
      ...statusOf(HELLO, 'available', 'Ready', 0, { orphans_since: timeAt(0) }),
    };
    const live = [...READY, ...orphans];
    expect(decidedAt(119, { ...HELLO, status }, live)).toMatchObject({ phase: 'available' });
    const told = decidedAt(121, { ...HELLO, status }, live);
    expect(told).toMatchObject({
      phase: 'degraded',
      reason: 'Orphaned',
      action: 'delete Deployment/hello-fn-0',
    });
    expect(told.message).toContain('Found unmanaged Deployment/hello-fn-0; cleanup scheduled.');
    expect(told.events).toEqual(['Warning Orphaned', 'Normal OrphanDeleted']);
  });
});

describe('an apply that the server cannot process now', () => {
  const failing = (t: number, runtime: ClassRuntime) =>
    decideRefused(
      { runtime, settings: SETTINGS, rendered: renderingOf(runtime), live: [], pods: [] },
      { reason: 'ApplyFailed', code: 503, message: 'overloaded' },
      at(t),
    );
  const pending = { ...HELLO, status: { phase: 'pending' } as const };
  const begun = { ...HELLO, status: decidedAt(0, pending).decision.status ?? {} };

  test('CRT-S60 CRT-S61 CRT-D10 is tried four times more before the class is degraded', () => {
    let runtime: ClassRuntime = begun;
    for (const tries of [1, 2, 3, 4]) {
      const decision = failing(5 * (tries - 1), runtime);
      expect(decision).toMatchObject({ reason: 'Applying', requeueAfter: 5000 });
      expect(decision.events).toBeUndefined();
      expect(decision.status).toMatchObject({
        phase: 'applying',
        message: 'applying the workload: overloaded',
      });
      runtime = { ...HELLO, status: decision.status ?? {} };
    }
    const decision = failing(20, runtime);
    expect(decision).toMatchObject({ reason: 'ApplyFailed', requeueAfter: 10_000 });
    expect(decision.status).toMatchObject({ phase: 'degraded', message: 'overloaded' });
    expect(decision.events).toMatchObject([{ type: 'Warning', reason: 'ApplyFailed' }]);
    const degraded = { ...HELLO, status: decision.status ?? {} };
    expect(decidedAt(25, degraded)).toMatchObject({ reason: 'ApplyFailed', action: '-' });
    expect(decidedAt(30, degraded)).toMatchObject({ action: 'apply Deployment/hello' });
    // The next failure changes nothing that is written.
    expect(failing(30, degraded)).toEqual({ reason: 'ApplyFailed', requeueAfter: 10_000 });
  });

  test('CRT-S60 one that succeeds ends the count', () => {
    const { status = {} } = failing(0, begun);
    const next = decidedAt(5, { ...HELLO, status }, READY).decision.status;
    expect(next).toMatchObject({ phase: 'available' });
    expect(next?.lifecycle).not.toHaveProperty('apply_tries');
  });

  test('CRT-T19 deletion ends it: no further apply', () => {
    const { metadata } = HELLO;
    const deleted = { ...metadata, deletionTimestamp: timeAt(1) };
    const degraded = failing(20, { ...HELLO, status: { ...begun.status, ...tried(4) } });
    for (const status of [begun.status, degraded.status ?? {}]) {
      const runtime = { ...HELLO, metadata: deleted, status };
      expect(decidedAt(40, runtime, READY.slice(0, 1))).toMatchObject({ action: 'delete Deployment/hello' });
      expect(decidedAt(40, runtime).action).toBe('removeFinalizer');
      expect(failing(40, runtime).status).toMatchObject({ phase: 'deleting' });
    }
  });

  function tried(apply_tries: number): Pick<NonNullable<ClassRuntime['status']>, 'lifecycle'> {
    const { lifecycle } = begun.status;
    return lifecycle === undefined ? {} : { lifecycle: { ...lifecycle, apply_tries } };
  }
});

test('CRT-S13 without a status, and with ready children, a class is pending and applying again, and writes nothing else', () => {
  let runtime = HELLO;
  const looks = ['pending', 'applying', 'available'].map((phase) => {
    const told = decidedAt(900, runtime, READY);
    expect(told).toMatchObject({ phase, action: '-' });
    runtime = { ...HELLO, status: told.decision.status ?? {} };
    return told.requeue;
  });
  expect(looks).toEqual([1, 5, undefined]);
  expect(runtime.status).toMatchObject({ observed_generation: 1, observedGeneration: 1 });
});

describe('without our finalizer', () => {
  const bare = classOf({ finalizers: [] });
  const forbidden = { reason: 'Forbidden', code: 403, message: 'a webhook says no' };
  const observed = (runtime: ClassRuntime) => ({
    runtime,
    settings: SETTINGS,
    rendered: renderingOf(runtime),
    live: [],
    pods: [],
  });

  test('CRT-S01 a new class whose finalizer is rejected stays pending, and says why', () => {
    const decision = decideRefused(observed(bare), forbidden, at(0));
    expect(decision).toMatchObject({ reason: 'Pending', requeueAfter: 10_000, events: [] });
    expect(decision.status).toMatchObject({ phase: 'pending', message: 'a webhook says no' });
  });

  test('a class that loses it keeps its phase', () => {
    const runtime = { ...bare, status: AVAILABLE.status };
    const told = decidedAt(900, runtime, READY);
    expect(told).toMatchObject({ phase: 'available', action: 'ensureFinalizer', events: [] });
    expect(told.decision.status).toBe(AVAILABLE.status);
    expect(decideRefused(observed(runtime), forbidden, at(900)).status).toMatchObject({ phase: 'available' });
  });
});

describe('a restart of the operator', () => {
  const crashing = [waitingPod(HELLO, 'CrashLoopBackOff', { restartCount: 3 })];
  const inPhase = (phase: NonNullable<ClassRuntime['status']>['phase'] & string, reason: string) => ({
    ...HELLO,
    status: statusOf(HELLO, phase, reason, 0),
  });

  test.each([
    ['pending', classOf({ finalizers: [] }), []],
    ['applying', inPhase('applying', 'Applying'), READY.slice(0, 1)],
    ['progressing', PROGRESSING, UNREADY],
    ['available', AVAILABLE, READY],
    ['degraded', inPhase('degraded', 'CrashLoop'), UNREADY],
    ['deleting', { ...inPhase('deleting', 'Deleting'), ...deleted(HELLO) }, READY],
  ] as const)('CRT-T22 in phase %s the next decision is that without it', (_phase, runtime, live) => {
    const observed = { runtime, settings: SETTINGS, rendered: renderingOf(runtime), live, pods: crashing };
    const first = decideClass(observed, at(100));
    // All that another process has: what the server stores.
    const stored = JSON.parse(JSON.stringify({ runtime, live, pods: crashing })) as typeof observed;
    const again = { ...stored, settings: SETTINGS, rendered: renderingOf(stored.runtime) };
    expect(decideClass(again, at(100))).toEqual(first);
  });

  function deleted({ metadata }: ClassRuntime): Pick<ClassRuntime, 'metadata'> {
    return { metadata: { ...metadata, deletionTimestamp: timeAt(0) } };
  }
});
