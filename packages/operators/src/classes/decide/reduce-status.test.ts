import { isConditionTrue } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import { readSettings } from '../settings.ts';
import { render } from '../templates/render.ts';
import { at, childrenOf, classOf, decidedAt, SETTINGS, statusOf, timeAt } from '../testing/class-bench.ts';
import { decideClass } from './decide-class.ts';

const available = (runtime: ClassRuntime): ClassRuntime => ({
  ...runtime,
  status: { ...runtime.status, ...statusOf(runtime, 'available', 'Ready', 0) },
});

test('CRT-T11 CRT-D19 telemetry without an endpoint is degraded; with one, no longer', () => {
  const runtime = available({
    ...classOf(),
    spec: { ...classOf().spec, telemetry: { enabled: true } },
  });
  const decideWith = (env: Readonly<Record<string, string>>, { status }: ClassRuntime) => {
    const settings = readSettings(env);
    const live = childrenOf(runtime);
    const current = { ...runtime, status: status ?? {} };
    return decideClass(
      { runtime: current, settings, rendered: render(current, settings), live, pods: [] },
      at(9),
    ).status;
  };
  const without = decideWith({ OPRC_CRM_OTEL_ENDPOINT: '' }, { ...runtime, status: {} });
  expect(isConditionTrue(without?.conditions, 'TelemetryDegraded')).toBe(true);
  const fixed = decideWith({}, { ...runtime, ...(without && { status: without }) });
  const found = fixed?.conditions?.filter(({ type }) => type.startsWith('Telemetry'));
  expect(found?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'TelemetryConfigured=True',
    'TelemetryDegraded=False',
  ]);
});

test('CRT-T12 CRT-D34 recommendations, the audit trail and unknown conditions stay; a reason goes when it is ready', () => {
  const runtime = classOf();
  const kept = {
    nfr_recommendations: { replicas: 3 },
    last_applied_recommendations: [{ component: 'function', dimension: 'replicas', target: 3 }],
  };
  const foreign = {
    type: 'Foreign',
    status: 'True',
    reason: 'R',
    message: '',
    lastTransitionTime: timeAt(0),
  } as const;
  const functions = [
    {
      function_key: 'main',
      service: 'hello',
      port: 80,
      predicted_url: '',
      template: 'dev',
      ready: false,
      reason: 'CrashLoop',
      message: 'Pod x restart count=3.',
    },
  ];
  const before = {
    ...statusOf(runtime, 'progressing', 'Progressing', 0),
    ...kept,
    conditions: [foreign],
    functions,
  };
  const { decision } = decidedAt(9, { ...runtime, status: before }, childrenOf(runtime));
  expect(decision.status).toMatchObject(kept);
  expect(decision.status?.conditions?.find(({ type }) => type === 'Foreign')).toEqual(foreign);
  expect(decision.status?.functions?.[0]).toMatchObject({ ready: true });
  expect(decision.status?.functions?.[0]).not.toHaveProperty('reason');
  expect(decision.status?.functions?.[0]).not.toHaveProperty('message');
});

test('CRT-T12 routers are those that are there', () => {
  const runtime = available(classOf());
  const routers = [{ service: 'router', port: 17447 }];
  const decideWith = (found: typeof routers) =>
    decideClass(
      {
        runtime,
        settings: SETTINGS,
        rendered: render(runtime, SETTINGS),
        routers: found,
        live: childrenOf(runtime),
        pods: [],
      },
      at(9),
    ).status?.routers;
  expect(decideWith(routers)).toEqual(routers);
  expect(decideWith([])).toBeUndefined();
});

test('CRT-T13 a generation that changes nothing else is observed', () => {
  const runtime = available(classOf());
  const changed = { ...runtime, metadata: { ...runtime.metadata, generation: 2 } };
  const { decision } = decidedAt(9, changed, childrenOf(runtime));
  expect(decision.status).toMatchObject({ observed_generation: 2, observedGeneration: 2 });
  expect(decision.action).toBeUndefined();
});

test('CRT-T14 CRT-D03 Available becomes False in the write that makes Progressing True', () => {
  const runtime = classOf();
  const status = statusOf(runtime, 'available', 'Ready', 0, { unready_since: timeAt(0) });
  const ready = decidedAt(1, { ...runtime, status }, childrenOf(runtime)).decision.status;
  expect(isConditionTrue(ready?.conditions, 'Available')).toBe(true);
  const lost = { ...ready, lifecycle: status.lifecycle } as typeof status;
  const { decision } = decidedAt(20, { ...runtime, status: lost }, childrenOf(runtime, { hello: 0 }));
  expect(isConditionTrue(decision.status?.conditions, 'Available')).toBe(false);
  expect(isConditionTrue(decision.status?.conditions, 'Progressing')).toBe(true);
});

test('CRT-T01 an unknown template is an Event once, and the status says why another one was taken', () => {
  const runtime = { ...classOf(), spec: { ...classOf().spec, selected_template: 'kn2' } };
  const live = childrenOf(runtime);
  const first = decidedAt(
    9,
    { ...runtime, status: statusOf(runtime, 'progressing', 'Progressing', 0) },
    live,
  );
  expect(first.events).toContain('Normal TemplateFallback');
  const { status = {} } = first.decision;
  expect(status.template).toMatchObject({ selected: 'dev', reason: 'Fallback' });
  expect(decidedAt(10, { ...runtime, status }, live).events).toEqual([]);
});

/** As kstatus computes it from an object of an unknown kind. */
function kstatus({ metadata, status = {} }: ClassRuntime): string {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (status.observedGeneration !== metadata.generation) return 'InProgress';
  if (isConditionTrue(status.conditions, 'Stalled')) return 'Failed';
  if (isConditionTrue(status.conditions, 'Reconciling')) return 'InProgress';
  return isConditionTrue(status.conditions, 'Ready') ? 'Current' : 'InProgress';
}

test.each([
  ['progressing', { hello: 0 }, 'InProgress'],
  ['available', {}, 'Current'],
  ['degraded', { hello: 0 }, 'Failed'],
] as const)('CRT-T20 kstatus of a class that is %s', (phase, available_, expected) => {
  const runtime = classOf();
  const status = statusOf(runtime, phase, phase === 'degraded' ? 'Timeout' : 'Progressing', 0, { ready: 1 });
  const decided =
    decidedAt(20, { ...runtime, status }, childrenOf(runtime, available_)).decision.status ?? {};
  expect(kstatus({ ...runtime, status: decided })).toBe(expected);
  const { metadata } = runtime;
  expect(kstatus({ ...runtime, metadata: { ...metadata, generation: 2 }, status: decided })).toBe(
    'InProgress',
  );
  const deleted = { ...metadata, deletionTimestamp: timeAt(9) };
  expect(kstatus({ ...runtime, metadata: deleted, status: decided })).toBe('Terminating');
});
