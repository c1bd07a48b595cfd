import type { CacheEvent, CacheHandler } from '@kubewright/runtime';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { ClassRuntime, Phase } from './api.ts';
import { addPhaseMetrics } from './add-phase-metrics.ts';
import { classOf, statusOf } from './testing/class-bench.ts';

/** The metrics after a class came to these phases at these seconds. */
async function metricsOf(...phases: readonly (readonly [Phase, string, number])[]): Promise<string> {
  const registry = new Registry();
  const states = [classOf(), ...phases.map(([phase, reason, at]) => inPhase(phase, reason, at))];
  const handlers: CacheHandler<ClassRuntime>[] = [];
  const informer = { addHandler: (handler: CacheHandler<ClassRuntime>) => void handlers.push(handler) };
  const cache = { informer: () => informer, list: () => states.slice(-1) };
  addPhaseMetrics({ registry, cache: cache as never });
  const send = (event: CacheEvent<ClassRuntime>) => handlers.forEach((handler) => void handler(event));
  for (const [index, object] of states.entries()) {
    const old = states[index - 1];
    send(old === undefined ? { type: 'Create', object, initial: false } : { type: 'Update', object, old });
  }
  return registry.metrics();
}

function inPhase(phase: Phase, reason: string, since: number): ClassRuntime {
  const runtime = classOf();
  return { ...runtime, status: statusOf(runtime, phase, reason, since) };
}

test('each change of a phase is counted, with the time that the class was in the one before', async () => {
  const text = await metricsOf(
    ['applying', 'Applying', 0],
    ['progressing', 'Progressing', 2],
    ['progressing', 'Progressing', 2],
    ['degraded', 'CrashLoop', 40],
    ['progressing', 'Recovering', 70],
    ['available', 'Ready', 80],
  );
  const transition = (from: string, to: string, reason: string): string =>
    `crm_phase_transitions_total{from="${from}",to="${to}",reason="${reason}"} 1`;
  expect(text).toContain(transition('none', 'applying', 'Applying'));
  expect(text).toContain(transition('progressing', 'degraded', 'CrashLoop'));
  expect(text).toContain(transition('progressing', 'available', 'Ready'));
  expect(text).toContain('crm_phase_duration_seconds_sum{phase="progressing"} 48');
  expect(text).toContain('crm_phase_duration_seconds_count{phase="progressing"} 2');
  // The way to the first rollout includes what went wrong.
  expect(text).toContain('crm_time_to_available_seconds_sum 80');
  expect(text).toContain('crm_classruntimes{phase="available"} 1');
  expect(text).toContain('crm_classruntimes{phase="degraded"} 0');
});

test('readiness that was lost and came back is no rollout', async () => {
  const text = await metricsOf(
    ['applying', 'Applying', 0],
    ['available', 'Ready', 5],
    ['progressing', 'ReadinessLost', 100],
    ['available', 'Ready', 130],
  );
  expect(text).toContain('crm_time_to_available_seconds_count 1');
  expect(text).toContain('crm_time_to_available_seconds_sum 5');
});
