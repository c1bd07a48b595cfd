import { describe, expect, test } from 'vitest';
import { podStatus } from '../status/pod-status.ts';
import { decide } from './decide.ts';
import { container, deleted, exited, NOW, observed, ran, running, type World } from './testing/world.ts';

describe('the phase', () => {
  const never = { restartPolicy: 'Never' } as const;
  const mains = { containers: [container('a'), container('b')], ...never };
  test.each<[string, World, string]>([
    ['is Pending before anything ran', { createMs: 1 }, 'Pending'],
    ['is Running with what runs', { states: { main: running() } }, 'Running'],
    [
      'is Running between two attempts',
      {
        states: { main: exited(1) },
        records: { main: { ...ran(1), crash: { ms: 10_000, at: NOW } } },
      },
      'Running',
    ],
    ['is Running as long as one does', { spec: mains, states: { a: running(), b: exited(1) } }, 'Running'],
    [
      'is Succeeded when all ended well',
      { spec: mains, states: { a: exited(0), b: exited(0) } },
      'Succeeded',
    ],
    ['is Failed when one did not', { spec: mains, states: { a: exited(0), b: exited(1) } }, 'Failed'],
    [
      'is Failed when an init container did not',
      {
        spec: { initContainers: [container('one')], ...never },
        states: { one: exited(1) },
      },
      'Failed',
    ],
    [
      'of a deleted pod is by its exit codes',
      { metadata: deleted, states: { main: exited(0) } },
      'Succeeded',
    ],
    ['of a deleted pod that never ran is Failed', { metadata: deleted }, 'Failed'],
    [
      'of an evicted pod is Failed, whatever its codes',
      {
        end: { reason: 'Evicted', message: 'x', isEviction: true },
        states: { main: exited(0) },
      },
      'Failed',
    ],
    ['that is final stays', { status: { phase: 'Succeeded' }, states: { main: exited(1) } }, 'Succeeded'],
  ])('%s', (_title, world, expected) => {
    const seen = observed(world);
    const { isTerminal, record } = decide(seen, NOW);
    expect(podStatus({ ...seen, record }, isTerminal, NOW).phase).toBe(expected);
  });
});

test('a deleted pod may go when its containers have ended', () => {
  expect(decide(observed({ metadata: deleted, states: { main: running() } }), NOW).finished).toBe(false);
  expect(decide(observed({ metadata: deleted, states: { main: exited(0) } }), NOW).finished).toBe(true);
  expect(
    decide(observed({ states: { main: exited(0) }, spec: { restartPolicy: 'Never' } }), NOW),
  ).toMatchObject({
    finished: false,
    isTerminal: true,
  });
});

test('a pod is left as it is in the time that nothing changes', () => {
  const seen = observed({ states: { main: running() } });
  const status = podStatus(seen, false, NOW);
  const later = podStatus({ ...seen, pod: { ...seen.pod, status } }, false, NOW + 60_000);
  expect(later).toEqual(status);
});
