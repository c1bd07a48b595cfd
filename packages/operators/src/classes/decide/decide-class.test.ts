import { describe, expect, test } from 'vitest';
import {
  childrenOf,
  classOf,
  conditionsIn,
  decidedAt,
  renderingOf,
  statusOf,
  timeAt,
  waitingPod,
} from '../testing/class-bench.ts';
import type { Live } from './observed-class.ts';

/** With its finalizer, and nothing applied yet. */
const HELLO = classOf({ status: { phase: 'pending' } });
const progressingSince = (since: number, lifecycle = {}) => ({
  ...HELLO,
  status: statusOf(HELLO, 'progressing', 'Progressing', since, lifecycle),
});
const degradedBy = (reason: string, since: number, lifecycle = {}) => ({
  ...HELLO,
  status: statusOf(HELLO, 'degraded', reason, since, lifecycle),
});
const UNREADY = childrenOf(HELLO, { hello: 0 });
const READY = childrenOf(HELLO);

/** The status that a class has for good once it is available. */
const AVAILABLE = {
  ...HELLO,
  status: decidedAt(30, progressingSince(0, { ready: 1 }), READY).decision.status ?? {},
};

describe('from nothing to available', () => {
  test('CRT-S01 CRT-D25 a new class gets its finalizer first', () => {
    const told = decidedAt(0, classOf({ finalizers: [] }));
    expect(told).toMatchObject({
      phase: 'pending',
      reason: 'Pending',
      action: 'ensureFinalizer',
      events: [],
    });
  });

  test('CRT-S02 with the finalizer there, objects are applied one by one', () => {
    const pending = classOf({ status: { phase: 'pending' } });
    const told = decidedAt(0, pending);
    expect(told).toMatchObject({ phase: 'applying', action: 'apply Deployment/hello', events: [] });
    const applying = { ...pending, status: told.decision.status ?? {} };
    const [deployment] = childrenOf(pending);
    const next = decidedAt(0, applying, deployment === undefined ? [] : [deployment]);
    expect(next.action).toBe('apply Service/hello');
    // Nothing new to say: no second write.
    expect(next.decision.status).toBe(applying.status);
  });

  test('CRT-S03 all applied, nothing observed yet', () => {
    const applying = classOf({ status: decidedAt(0, HELLO).decision.status ?? {} });
    const unobserved = UNREADY.map((object): Live => {
      const { status: _none, ...rest } = object;
      return rest;
    });
    const told = decidedAt(0, applying, unobserved);
    expect(told).toMatchObject({ phase: 'progressing', reason: 'Progressing', action: '-', requeue: 5 });
    expect(told.events).toEqual(['Normal Applied', 'Normal Progressing']);
    expect(told.decision.status?.lifecycle).toMatchObject({
      applied_generation: 1,
      applied_hash: renderingOf(HELLO).hash,
      applied_at: timeAt(0),
    });
  });

  test.each([
    ['CRT-S04 unready for 20 s', 20, 5],
    ['CRT-S05 CRT-D26 unready for 100 s', 100, 25],
    ['CRT-S06 a second before the timeout', 599, 1],
  ])('%s', (_title, t, requeue) => {
    const told = decidedAt(t, progressingSince(0, { ready: 1 }), UNREADY);
    expect(told).toMatchObject({
      phase: 'progressing',
      reason: 'Progressing',
      action: '-',
      requeue,
      events: [],
    });
  });

  test('CRT-S04 the conditions of a class that is progressing', () => {
    expect(conditionsIn(decidedAt(20, progressingSince(0), UNREADY))).toEqual({
      Progressing: 'True/Progressing',
      Available: 'False/Progressing',
      Degraded: 'False/Progressing',
      Ready: 'False/Progressing',
      Reconciling: 'True/Progressing',
      Stalled: 'False/Progressing',
      TelemetryConfigured: 'False/TelemetryDisabled',
      Serving: 'False/NoEndpoints',
      NfrObserved: 'False/NoRecommendation',
      NfrEnforced: 'False/SkipMode',
    });
  });

  test('CRT-S07 CRT-D21 without progress until the timeout', () => {
    const told = decidedAt(600, progressingSince(0, { ready: 1 }), UNREADY);
    expect(told).toMatchObject({
      phase: 'degraded',
      reason: 'Timeout',
      requeue: 10,
      events: ['Warning Timeout'],
    });
    expect(told.message).toBe('Readiness not achieved within 600.');
  });

  test('CRT-S08 progress begins the clock anew', () => {
    const two = classOf({ functions: ['a', 'b'] });
    const status = statusOf(two, 'progressing', 'Progressing', 0, { ready: 3, progress_at: timeAt(500) });
    const told = decidedAt(700, { ...two, status }, childrenOf(two, { 'hello-fn-1': 0 }));
    expect(told).toMatchObject({ phase: 'progressing', action: '-', requeue: 60 });
  });

  test('CRT-S09 all ready', () => {
    const told = decidedAt(30, progressingSince(0, { ready: 1 }), READY);
    expect(told).toMatchObject({
      phase: 'available',
      reason: 'Ready',
      action: '-',
      events: ['Normal Available'],
    });
    expect(told.requeue).toBeUndefined();
    const { conditions = [], functions } = told.decision.status ?? {};
    const yes = conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
    expect(yes).toEqual(['Available', 'Ready', 'Serving']);
    expect(functions).toMatchObject([{ function_key: 'main', service: 'hello', port: 80, ready: true }]);
  });

  test('CRT-S09 only conditions that change get a new time', () => {
    const { status = {} } = decidedAt(20, progressingSince(0), UNREADY).decision;
    const { conditions = [] } = decidedAt(30, { ...HELLO, status }, READY).decision.status ?? {};
    const changed = conditions.filter(({ lastTransitionTime }) => lastTransitionTime === timeAt(30));
    expect(changed.map(({ type }) => type)).toEqual([
      'Progressing',
      'Available',
      'Ready',
      'Reconciling',
      'Serving',
    ]);
    expect(conditions.filter((one) => !changed.includes(one)).map((one) => one.lastTransitionTime)).toEqual(
      conditions.slice(changed.length).map(() => timeAt(20)),
    );
  });

  test('CRT-S10 nothing changed: nothing is written, no Event', () => {
    const told = decidedAt(900, AVAILABLE, READY);
    expect(told.decision.status).toBe(AVAILABLE.status);
    expect(told).toMatchObject({ action: '-', requeue: undefined, events: [] });
  });
});

describe('a class that changes', () => {
  const second = classOf({ image: 'hello:2', generation: 2 });

  test('CRT-S11 a new generation of an available class is applied', () => {
    const told = decidedAt(900, { ...second, status: AVAILABLE.status }, READY);
    expect(told).toMatchObject({ phase: 'applying', action: 'apply Deployment/hello' });
  });

  test('CRT-S12 CRT-D07 a new generation that arrives while the old one is applied', () => {
    const status = decidedAt(0, HELLO).decision.status ?? {};
    const told = decidedAt(6, { ...second, status });
    expect(told).toMatchObject({ phase: 'applying', action: 'apply Deployment/hello' });
    expect(told.decision.status?.observed_generation).toBe(2);
    const applying = { ...second, status: told.decision.status ?? {} };
    const [deployment] = childrenOf(second);
    const last = deployment === undefined ? [] : [deployment];
    expect(decidedAt(6, applying, last).action).toBe('apply Service/hello');
    // Once: what is recorded is not applied again.
    const done = decidedAt(7, applying, childrenOf(second, { hello: 0 }));
    expect(done).toMatchObject({ phase: 'progressing', action: '-' });
    const recorded = { ...second, status: done.decision.status ?? {} };
    expect(recorded.status.lifecycle?.applied_generation).toBe(2);
    expect(decidedAt(12, recorded, childrenOf(second, { hello: 0 }))).toMatchObject({ action: '-' });
  });

  test('CRT-S13 children of an older controller, which recorded nothing, are applied', () => {
    const strange = READY.map((object) => ({ ...object, metadata: { ...object.metadata, annotations: {} } }));
    expect(decidedAt(0, HELLO, strange)).toMatchObject({
      phase: 'applying',
      action: 'apply Deployment/hello',
    });
  });

  test('CRT-S14 the same generation, rendered otherwise', () => {
    const old = childrenOf(classOf({ image: 'hello:0' }));
    expect(decidedAt(900, AVAILABLE, old)).toMatchObject({
      phase: 'applying',
      action: 'apply Deployment/hello',
    });
  });
});

describe('readiness that is lost', () => {
  const grace = (t: number) => {
    const noticed = decidedAt(900, AVAILABLE, UNREADY).decision.status ?? {};
    return decidedAt(t, { ...AVAILABLE, status: noticed }, UNREADY);
  };

  test('CRT-S15 within the grace', () => {
    expect(grace(906)).toMatchObject({ phase: 'available', reason: 'Ready', requeue: 9, events: [] });
  });

  test('CRT-S16 CRT-S17 beyond the grace, and back', () => {
    const lost = grace(915);
    expect(lost).toMatchObject({ phase: 'progressing', reason: 'ReadinessLost', requeue: 5 });
    expect(lost.events).toEqual(['Warning ReadinessLost']);
    expect(conditionsIn(lost)).toMatchObject({
      Progressing: 'True/ReadinessLost',
      Available: 'False/ReadinessLost',
      Degraded: 'False/ReadinessLost',
      Serving: 'False/NoEndpoints',
    });
    const told = decidedAt(921, { ...HELLO, status: lost.decision.status ?? {} }, READY);
    expect(told).toMatchObject({ phase: 'available', requeue: undefined, events: ['Normal Available'] });
  });
});

describe('pods that fail', () => {
  const crash = (restartCount: number) => [waitingPod(HELLO, 'CrashLoopBackOff', { restartCount })];

  test('CRT-S18 one restart is no crash loop', () => {
    expect(decidedAt(40, progressingSince(0), UNREADY, crash(1))).toMatchObject({
      phase: 'progressing',
      requeue: 10,
    });
  });

  test('CRT-S19 CRT-D22 three are', () => {
    const told = decidedAt(40, progressingSince(0), UNREADY, crash(3));
    expect(told).toMatchObject({
      phase: 'degraded',
      reason: 'CrashLoop',
      requeue: 10,
      events: ['Warning CrashLoop'],
    });
    expect(told.message).toBe('Pod hello-1 restart count=3.');
    expect(told.decision.status?.functions).toMatchObject([
      { ready: false, reason: 'CrashLoop', message: 'Pod hello-1 restart count=3.' },
    ]);
    expect(conditionsIn(told)).toMatchObject({
      Degraded: 'True/CrashLoop',
      Available: 'False/CrashLoop',
      Progressing: 'False/CrashLoop',
      Ready: 'False/CrashLoop',
      Reconciling: 'False/CrashLoop',
      Stalled: 'True/CrashLoop',
    });
    expect(told.decision.status?.lifecycle?.reasons).toEqual(['CrashLoop']);
  });

  test('CRT-S20 CRT-K21 a pod of the old template does not count', () => {
    const old = [waitingPod(classOf({ image: 'hello:0' }), 'CrashLoopBackOff', { restartCount: 9 })];
    const told = decidedAt(10, progressingSince(0), UNREADY, old);
    expect(told).toMatchObject({ phase: 'progressing', reason: 'Progressing', requeue: 5, events: [] });
  });

  test('CRT-S21 CRT-S22 CRT-S23 recovers for a while before it is available', () => {
    const recovering = decidedAt(200, degradedBy('CrashLoop', 80), READY);
    expect(recovering).toMatchObject({ phase: 'progressing', reason: 'Recovering', requeue: 10 });
    const after = { ...HELLO, status: recovering.decision.status ?? {} };
    expect(decidedAt(205, after, READY)).toMatchObject({ reason: 'Recovering', requeue: 5, events: [] });
    expect(decidedAt(210, after, READY)).toMatchObject({ phase: 'available', requeue: undefined });
    expect(decidedAt(206, after, UNREADY, crash(4))).toMatchObject({
      phase: 'degraded',
      reason: 'CrashLoop',
    });
  });

  test('CRT-S25 CRT-S26 CRT-S27 an image may take its time, a wrong name may not', () => {
    const pull = [waitingPod(HELLO, 'ImagePullBackOff', { since: 2 })];
    expect(decidedAt(32, progressingSince(0), UNREADY, pull)).toMatchObject({
      phase: 'progressing',
      requeue: 8,
    });
    expect(decidedAt(62, progressingSince(0), UNREADY, pull)).toMatchObject({
      reason: 'ImagePull',
      requeue: 10,
    });
    const wrong = [waitingPod(HELLO, 'InvalidImageName')];
    expect(decidedAt(3, progressingSince(0), UNREADY, wrong)).toMatchObject({
      phase: 'degraded',
      reason: 'ImagePull',
      requeue: 10,
      events: ['Warning ImagePull'],
    });
  });
});
