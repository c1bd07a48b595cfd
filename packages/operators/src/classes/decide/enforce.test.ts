import { describe, expect, test } from 'vitest';
import { detailOf, enforcedClass, loadFor, look, play, UNBOUNDED } from '../testing/enforcement-bench.ts';
import { ANNOTATIONS } from '../api.ts';
import { readSettings } from '../settings.ts';
import { childrenOf, classOf, decidedAt, renderingOf, statusOf, waitingPod } from '../testing/class-bench.ts';

describe('replicas follow what is recommended', () => {
  test('CRT-N01 CRT-D12 once it was the same for the stability window, and only once', () => {
    const state = play(enforcedClass(), 1200, () => 3, UNBOUNDED);
    expect(state.applied).toEqual(['180 hello 1 -> 3']);
    expect(state.events).toEqual(['Normal NFRSkippedStability', 'Normal NFRApplied']);
    expect(detailOf(state)).toMatchObject({ recommended: 3, current: 3, decision: 'NoChange' });
    const { status } = state.runtime;
    expect(status).toMatchObject({
      nfr_recommendations: { replicas: 3 },
      last_applied_recommendations: [
        {
          component: 'function',
          function_key: 'main',
          dimension: 'replicas',
          target: 3,
          basis: 'enforcer',
          confidence: 1,
        },
      ],
      last_applied_at: '2026-01-01T00:03:00Z',
    });
    const enforced = status?.conditions?.find(({ type }) => type === 'NfrEnforced');
    expect(enforced).toMatchObject({ status: 'True', reason: 'Enforced' });
  });

  test('CRT-N02 one that changes again and again is never applied', () => {
    const state = play(enforcedClass(), 1200, (t) => 3 + ((t / 60) % 2), UNBOUNDED);
    expect(state.applied).toEqual([]);
  });

  test.each([
    [2, ['180 hello 2 -> 3']],
    [5, ['180 hello 5 -> 4']],
  ])('CRT-N03 in mode window, the least change of the window is, from %d', (current, expected) => {
    const settings = { ...UNBOUNDED, stabilization: 'window' } as const;
    const state = play(enforcedClass({ current }), 1200, (t) => 3 + ((t / 60) % 2), settings);
    expect(state.applied).toEqual(expected);
  });

  test('CRT-N04 a target that changes within the cooldown has its whole window from then on', () => {
    const state = play(enforcedClass(), 1200, (t) => (t < 240 ? 3 : 5), UNBOUNDED);
    expect(state.applied).toEqual(['180 hello 1 -> 3', '420 hello 3 -> 5']);
  });

  test('CRT-N05 CRT-D29 no more than the process allows', () => {
    const state = play(enforcedClass({ current: 5 }), 600, () => 50, UNBOUNDED);
    expect(state.applied).toEqual(['180 hello 5 -> 20']);
    expect(state.events.filter((event) => event === 'Normal NFRClampedMax')).toHaveLength(1);
    expect(detailOf(state)).toMatchObject({ recommended: 50, enforcement: { target: 20, clamped: 'max' } });
  });

  test('CRT-N06 a large change comes in steps', () => {
    const state = play(enforcedClass({ current: 10 }), 1200, () => 20);
    expect(state.applied).toEqual(['180 hello 10 -> 13', '300 hello 13 -> 17', '420 hello 17 -> 20']);
    expect(state.events.filter((event) => event === 'Normal NFRDeltaBounded')).toHaveLength(2);
  });

  test('CRT-N07 of one replica at least', () => {
    const state = play(enforcedClass(), 1200, () => 5);
    expect(state.applied).toEqual([
      '180 hello 1 -> 2',
      '300 hello 2 -> 3',
      '420 hello 3 -> 4',
      '540 hello 4 -> 5',
    ]);
  });

  test('CRT-N16 CRT-N08 rounded up, and never below what the user asks for', () => {
    expect(play(enforcedClass({ current: 2 }), 600, () => 2.0001, UNBOUNDED).applied).toEqual([
      '180 hello 2 -> 3',
    ]);
    const least = play(enforcedClass({ current: 3, minScale: 3 }), 600, () => 1);
    expect(least.applied).toEqual([]);
    expect(detailOf(least)).toMatchObject({
      decision: 'NoChange',
      enforcement: { target: 3, clamped: 'min' },
    });
    expect(play(enforcedClass({ current: 30, minScale: 30 }), 600, () => 50, UNBOUNDED).applied).toEqual([]);
  });

  test('CRT-N23 each function on its own', () => {
    const state = play(enforcedClass({ functions: ['a', 'b'] }), 600, () => 3, UNBOUNDED);
    expect(state.applied).toEqual(['180 hello-fn-0 1 -> 3', '180 hello-fn-1 1 -> 3']);
    expect(
      state.runtime.status?.last_applied_recommendations?.map(({ function_key }) => function_key),
    ).toEqual(['a', 'b']);
  });
});

test('CRT-A10 the CPU of a replica is a setting', () => {
  const settings = readSettings({ OPRC_CRM_REQ_CPU_PER_POD_M: '250' });
  const begun = enforcedClass();
  expect(detailOf(look(begun, 0, loadFor(begun, 1, 0), settings))).toMatchObject({ recommended: 2 });
});

describe('what keeps replicas as they are', () => {
  const after = (t: number, load: Parameters<typeof look>[2], state = play(enforcedClass(), 120, () => 3)) =>
    look(state, t, load, UNBOUNDED);

  test('CRT-N10 CRT-D36 a load that is too old; said once', () => {
    const begun = play(enforcedClass(), 120, () => 3);
    const old = loadFor(begun, 3, 120);
    const state = after(301, old, begun);
    expect(state.applied).toEqual([]);
    expect(detailOf(state)).toMatchObject({ decision: 'SkipStale', recommended: 3 });
    const again = look(state, 310, old, UNBOUNDED);
    expect(again.events.filter((event) => event === 'Normal NFRSkippedStale')).toHaveLength(1);
    expect(after(300, old, begun).applied).toEqual(['300 hello 1 -> 3']);
  });

  test('CRT-N11 a load of another generation', () => {
    const begun = play(enforcedClass(), 120, () => 3);
    const state = after(200, loadFor(begun, 7, 200, 9), begun);
    expect(detailOf(state)).toMatchObject({ decision: 'SkipStale', recommended: 3 });
    expect(state.applied).toEqual([]);
  });

  test('CRT-A06 CRT-A07 no signal: what was recommended stays, and is not enforced', () => {
    const state = after(600, undefined);
    expect(detailOf(state)).toMatchObject({ decision: 'SkipStale', recommended: 3 });
    expect(state.runtime.status?.conditions?.find(({ type }) => type === 'NfrObserved')?.status).toBe('True');
    expect(detailOf(look(enforcedClass(), 0, undefined))).toBeUndefined();
  });

  test('CRT-T22 after a restart, until the load is read, what is enforced stays so; what was not, waits', () => {
    const settled = play(enforcedClass(), 600, () => 3, UNBOUNDED);
    const restarted = look(settled, 610, undefined, UNBOUNDED);
    expect(restarted.runtime.status).toEqual(settled.runtime.status);
    expect(restarted.events).toEqual(settled.events);
    const scaled = { ...settled, live: enforcedClass({ current: 2 }).live };
    expect(detailOf(look(scaled, 610, undefined, UNBOUNDED))).toMatchObject({ decision: 'SkipStale' });
    const { metadata } = settled.runtime;
    const changed = { ...settled, runtime: { ...settled.runtime, metadata: { ...metadata, generation: 9 } } };
    expect(detailOf(look(changed, 610, undefined, UNBOUNDED))).toMatchObject({ decision: 'SkipStale' });
  });

  test('CRT-N12 CRT-D30 a class that is not available', () => {
    const begun = play(enforcedClass(), 120, () => 3);
    const live = begun.live.map((object) =>
      object.kind === 'Deployment'
        ? { ...object, status: { ...object.status, availableReplicas: 0 } }
        : object,
    );
    const state = after(200, loadFor(begun, 3, 200), { ...begun, live });
    expect(state.applied).toEqual([]);
    expect(detailOf(state)).toMatchObject({
      decision: 'SkipPhase',
      enforcement: detailOf(begun)?.enforcement,
    });
  });

  test.each([
    ['progressing', 'Progressing', []],
    ['degraded', 'CrashLoop', [waitingPod(classOf(), 'CrashLoopBackOff', { restartCount: 3 })]],
  ] as const)('CRT-N12 CRT-D30 a class that is %s/%s', (phase, reason, pods) => {
    const begun = play(enforcedClass(), 120, () => 3);
    const before = statusOf(begun.runtime, phase, reason, 100);
    const runtime = { ...begun.runtime, status: { ...begun.runtime.status, ...before } };
    const live = childrenOf(runtime, { hello: 0 });
    const told = decidedAt(200, runtime, live, pods, { load: loadFor(begun, 3, 200) });
    expect(told).toMatchObject({ phase, reason, action: '-' });
    // When it is available again, the stability window goes on from where it was.
    expect(told.decision.status?.nfr_details).toMatchObject([
      { decision: 'SkipPhase', enforcement: detailOf(begun)?.enforcement },
    ]);
  });

  test.each([
    ['CRT-N14 CRT-D28 mode observe', { mode: 'observe', dimensions: ['replicas'] }, 'SkipMode'],
    ['CRT-N14 mode off', { mode: 'OFF', dimensions: ['replicas'] }, 'SkipMode'],
    ['CRT-N14 no mode', { dimensions: ['replicas'] }, 'SkipMode'],
    ['CRT-N15 no dimension', { mode: 'enforce' }, 'SkipDimension'],
    ['CRT-N15 another dimension', { mode: 'enforce', dimensions: ['memory'] }, 'SkipDimension'],
  ])('%s', (_title, enforcement, decision) => {
    const state = play(enforcedClass({ enforcement }), 600, () => 3);
    expect(state.applied).toEqual([]);
    expect(detailOf(state)).toMatchObject({ decision, recommended: 3 });
    const conditions = state.runtime.status?.conditions ?? [];
    const said = Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
    expect(said).toMatchObject({ NfrObserved: 'True', NfrEnforced: 'False' });
  });

  test('CRT-N17 CRT-N01 a restart: what counts is in the status', () => {
    const applied = play(enforcedClass(), 180, () => 3, UNBOUNDED);
    // The process has forgotten all loads; the next one asks for more.
    const restarted = look(applied, 200, undefined, UNBOUNDED);
    const cooling = look(restarted, 260, loadFor(restarted, 5, 260), UNBOUNDED);
    expect(detailOf(cooling)?.decision).toBe('WaitCooldown');
    expect(cooling.decision.requeueAfter).toBe(40_000);
    const stable = look(cooling, 300, loadFor(cooling, 5, 300), UNBOUNDED);
    expect(detailOf(stable)?.decision).toBe('WaitStability');
    expect(look(stable, 440, loadFor(stable, 5, 440), UNBOUNDED).applied.at(-1)).toBe('440 hello 3 -> 5');
  });

  test('a crash between the write and its record counts the write, once', () => {
    const begun = play(enforcedClass(), 120, () => 3);
    const crashed = look(begun, 180, loadFor(begun, 3, 180), UNBOUNDED, 'crash');
    expect(crashed.events).not.toContain('Normal NFRApplied');
    const state = look(crashed, 190, undefined, UNBOUNDED);
    expect(state.applied).toEqual(['180 hello 1 -> 3']);
    expect(state.events.filter((event) => event === 'Normal NFRApplied')).toHaveLength(1);
    expect(detailOf(state)?.enforcement).toMatchObject({ applied_at: '2026-01-01T00:03:10Z' });
  });
});

describe('enforcement that fails', () => {
  const CONFLICT = {
    reason: 'EnforceConflict',
    message: 'Field manager ownership conflict applying enforcement.',
  };
  const failedAt = (t: number, state = play(enforcedClass(), 120, () => 3)) =>
    look(state, t, loadFor(state, 3, t), UNBOUNDED, CONFLICT);

  test('CRT-S70 CRT-N13 the class is degraded, and serves', () => {
    const state = failedAt(180);
    const { status } = state.runtime;
    expect(status).toMatchObject({ phase: 'degraded', lifecycle: { reason: 'EnforceConflict' } });
    expect(status?.nfr_recommendations).toEqual({ replicas: 3 });
    const said = Object.fromEntries((status?.conditions ?? []).map(({ type, status: is }) => [type, is]));
    expect(said).toMatchObject({
      Degraded: 'True',
      Serving: 'True',
      NfrEnforced: 'False',
      NfrObserved: 'True',
    });
    expect(state.events).toEqual([
      'Normal NFRSkippedStability',
      'Warning NFRApplyFailed',
      'Warning EnforceConflict',
    ]);
    expect(state.decision.requeueAfter).toBe(10_000);
  });

  test('CRT-S71 a retry that succeeds: recovering, then available', () => {
    const failed = failedAt(180);
    const waiting = look(failed, 185, loadFor(failed, 3, 185), UNBOUNDED);
    expect(detailOf(waiting)?.decision).toBe('WaitRetry');
    const retried = look(waiting, 190, loadFor(waiting, 3, 190), UNBOUNDED);
    expect(retried.applied).toEqual(['190 hello 1 -> 3']);
    expect(retried.runtime.status).toMatchObject({
      phase: 'progressing',
      lifecycle: { reason: 'Recovering' },
    });
    expect(look(retried, 200, loadFor(retried, 3, 200)).runtime.status?.phase).toBe('available');
  });

  test('CRT-N24 it is tried again after 10, 40 and 160 seconds, and then no more', () => {
    let state = failedAt(180);
    for (const t of [190, 230, 390]) state = failedAt(t, state);
    expect(detailOf(state)).toMatchObject({ decision: 'GaveUp', enforcement: { failure: { attempts: 4 } } });
    const later = look(state, 4000, loadFor(state, 3, 4000), UNBOUNDED);
    expect(later.applied).toEqual([]);
    expect(later.runtime.status).toMatchObject({ phase: 'degraded', nfr_recommendations: { replicas: 3 } });
    // Another generation is another matter, and so is another target.
    const { metadata } = later.runtime;
    const next = { ...later, runtime: { ...later.runtime, metadata: { ...metadata, generation: 2 } } };
    const recovering = look(next, 4001, loadFor(next, 3, 4001), UNBOUNDED);
    expect(recovering.runtime.status?.phase).toBe('progressing');
    expect(look(recovering, 4012, loadFor(recovering, 3, 4012), UNBOUNDED).applied).toEqual([
      '4012 hello 1 -> 3',
    ]);
    const other = look(later, 4060, loadFor(later, 4, 4060), UNBOUNDED);
    expect(look(other, 4060, loadFor(other, 4, 4060)).runtime.status?.phase).toBe('progressing');
  });
});

test('CRT-N28 the data grid and functions in it are not scaled', () => {
  const { runtime } = enforcedClass();
  const odgm = { ...runtime, spec: { ...runtime.spec, addons: ['odgm'] } };
  const enforced = renderingOf(odgm).objects.filter(
    ({ metadata }) => metadata.annotations?.[ANNOTATIONS.enforced] === 'replicas',
  );
  expect(enforced.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(['Deployment/hello']);
});
