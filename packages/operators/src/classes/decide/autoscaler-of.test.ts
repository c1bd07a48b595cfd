import { expect, test } from 'vitest';
import { childrenOf, classOf, decidedAt, statusOf } from '../testing/class-bench.ts';
import { autoscalerOf, detailOf, enforcedClass, play, UNBOUNDED } from '../testing/enforcement-bench.ts';

test('CRT-N18 the minimum of an autoscaler is enforced, not the replicas that it sets', () => {
  const state = play(enforcedClass({ autoscaler: autoscalerOf(1, 10) }), 600, () => 3, UNBOUNDED);
  expect(state.applied).toEqual(['180 web-scaler 1 -> 3']);
  expect(state.events).toEqual(['Normal NFRSkippedStability', 'Normal NFRApplied']);
  expect(detailOf(state)).toMatchObject({ current: 3, autoscaler: 'web-scaler', decision: 'NoChange' });
  expect(state.runtime.status?.last_applied_recommendations).toEqual([
    {
      component: 'function',
      function_key: 'main',
      dimension: 'replicas',
      target: 3,
      basis: 'enforcer',
      confidence: 1,
    },
  ]);
});

test('CRT-N19 never above its maximum', () => {
  const state = play(enforcedClass({ autoscaler: autoscalerOf(1, 10) }), 600, () => 15, UNBOUNDED);
  expect(state.applied).toEqual(['180 web-scaler 1 -> 10']);
  expect(state.events.filter((event) => event === 'Normal NFRClampedMax')).toHaveLength(1);
  const low = play(enforcedClass({ autoscaler: autoscalerOf(1, 2), minScale: 4 }), 600, () => 5, UNBOUNDED);
  expect(low.applied).toEqual(['180 web-scaler 1 -> 2']);
});

test("CRT-N20 never below its owner's minimum, before and after we have raised it", () => {
  const state = play(enforcedClass({ autoscaler: autoscalerOf(5, 10) }), 600, () => 3, UNBOUNDED);
  expect(state.applied).toEqual([]);
  expect(detailOf(state)).toMatchObject({ decision: 'NoChange', enforcement: { target: 5, clamped: 'min' } });
  const risen = play(
    enforcedClass({ autoscaler: autoscalerOf(2, 10) }),
    1200,
    (t) => (t < 600 ? 7 : 1),
    UNBOUNDED,
  );
  expect(risen.applied).toEqual(['180 web-scaler 2 -> 7', '780 web-scaler 7 -> 2']);
});

test('CRT-N31 an autoscaler that another controller made keeps its minimum, and the status names who made it', () => {
  const theirs = autoscalerOf(1, 10);
  const maker = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'hello', uid: 'u-so' };
  const ownerReferences = [{ ...maker, controller: true }];
  const autoscaler = { ...theirs, metadata: { ...theirs.metadata, ownerReferences } };
  const state = play(enforcedClass({ autoscaler, current: 2 }), 600, () => 7, UNBOUNDED);
  expect(state).toMatchObject({ applied: [], events: ['Normal NFRSkippedOwned'] });
  expect(detailOf(state)).toMatchObject({
    current: 2,
    recommended: 7,
    decision: 'SkipOwned',
    scaled_by: 'ScaledObject/hello',
  });
  expect(state.runtime.status?.phase).toBe('available');
  const condition = state.runtime.status?.conditions?.find(({ type }) => type === 'NfrEnforced');
  expect(condition).toMatchObject({ status: 'False', reason: 'SkipOwned' });
  expect(condition?.message).toContain('ScaledObject/hello');
});

test('CRT-N31 who else has the replicas is read from managedFields, and from the autoscaler that scales them', () => {
  const own = play(enforcedClass(), 60, () => 1);
  expect(detailOf(own)?.scaled_by).toBeUndefined();
  const set = (manager: string) => [{ manager, fieldsV1: { 'f:spec': { 'f:replicas': {} } } }];
  const live = own.live.map((object) => {
    const managedFields = set(object.kind === 'Deployment' ? 'kubectl' : 'other');
    return { ...object, metadata: { ...object.metadata, managedFields } };
  });
  expect(detailOf(play({ ...own, live }, 60, () => 1))?.scaled_by).toBe('kubectl');
  const scaled = play(enforcedClass({ autoscaler: autoscalerOf(1, 10) }), 60, () => 1);
  expect(detailOf(scaled)?.scaled_by).toBe('HorizontalPodAutoscaler/web-scaler');
});

test.each([
  ['ScalingActive', 'FailedGetResourceMetric', 'False'],
  ['AbleToScale', 'FailedGetScale', 'False'],
  ['ScalingActive', 'ScalingDisabled', 'True'],
])('CRT-K17 an autoscaler that says %s=False/%s gates nothing', (type, reason, healthy) => {
  const runtime = classOf();
  const status = statusOf(runtime, 'available', 'Ready', 0);
  const conditions = [{ type, status: 'False', reason }];
  const broken = { ...autoscalerOf(1, 3), status: { desiredReplicas: 1, conditions } };
  const told = decidedAt(9, { ...runtime, status }, childrenOf(runtime), [], { autoscalers: [broken] });
  expect(told.phase).toBe('available');
  const found = told.decision.status?.conditions?.find((one) => one.type === 'AutoscalingHealthy');
  expect(found).toMatchObject(healthy === 'True' ? { status: 'True' } : { status: 'False', reason });
  const gone = decidedAt(9, { ...runtime, status: told.decision.status ?? {} }, childrenOf(runtime));
  const after = gone.decision.status?.conditions?.find((one) => one.type === 'AutoscalingHealthy');
  expect(after).toMatchObject({ status: 'True', reason: 'NoAutoscaler' });
  expect(gone.decision.status?.conditions?.map((one) => one.type)).toContain('Available');
});
