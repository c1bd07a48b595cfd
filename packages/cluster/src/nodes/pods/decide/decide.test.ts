import type { corev1 } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { ContainerState } from '../../runtime/container-runtime.ts';
import type { Observed, SeenContainer } from '../observed.ts';
import { podContainers } from '../pod-containers.ts';
import { type ContainerRecord, type PodEnd, type PodRecord, recordOf } from '../pod-record.ts';
import { podStatus } from '../status/pod-status.ts';
import { decide } from './decide.ts';
import { durationText } from './start-container.ts';

const NOW = Date.UTC(2026, 0, 1);
const ID = 'a'.repeat(64);

type World = {
  readonly spec?: Partial<corev1.PodSpec>;
  readonly metadata?: corev1.Pod['metadata'];
  readonly status?: corev1.PodStatus;
  /** By container; the attempt is there where a state is. */
  readonly states?: Readonly<Record<string, ContainerState>>;
  readonly records?: Readonly<Record<string, ContainerRecord>>;
  readonly seen?: Partial<SeenContainer>;
  readonly end?: PodEnd;
  readonly createMs?: number;
  readonly obstacle?: Observed['obstacle'];
};

const ran = (number = 0): ContainerRecord => ({ attempt: { id: ID, number } });
const running = (more: Partial<Extract<ContainerState, { type: 'running' }>> = {}): ContainerState => ({
  type: 'running',
  startedAt: NOW - 1000,
  started: true,
  ready: true,
  ...more,
});
const exited = (exitCode: number, ago = 0): ContainerState => ({
  type: 'exited',
  startedAt: NOW - 5000,
  finishedAt: NOW - ago,
  exitCode,
});
const container = (name: string, more: Partial<corev1.Container> = {}): corev1.Container => ({
  name,
  image: 'web:1',
  ...more,
});
const sidecar = container('side', { restartPolicy: 'Always' });

const IMAGE = { type: 'available', id: 'web@sha256:0', sizeBytes: 1, pullMs: 0 } as const;

function podOf({ spec, metadata, status = {} }: World): corev1.Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: 'u', generation: 1, ...metadata },
    spec: { containers: [container('main')], ...spec },
    status,
  };
}

function observed(world: World): Observed {
  const { states = {}, end, obstacle, createMs = 0 } = world;
  const pod = podOf(world);
  const names = podContainers(pod).map(({ container: { name } }) => name);
  const containers = new Map(
    names.map((name): [string, SeenContainer] => {
      const state = states[name];
      return [name, { scheme: 'test', image: IMAGE, ...(state && { state }), ...world.seen }];
    }),
  );
  const record: PodRecord = {
    ...recordOf(pod, NOW, '10.0.0.1'),
    containers: recordsOf(world, names),
    ...(end && { end }),
  };
  return { pod, hostIP: '172.18.0.2', record, containers, createMs, ...(obstacle && { obstacle }) };
}

/** Where a state is, an attempt was made. */
function recordsOf(
  { states = {}, records = {} }: World,
  names: readonly string[],
): ReadonlyMap<string, ContainerRecord> {
  return new Map(
    names.flatMap((name) => {
      const record = records[name] ?? (states[name] && ran());
      return record === undefined ? [] : [[name, record] as const];
    }),
  );
}

const actions = (world: World): readonly string[] =>
  decide(observed(world), NOW).actions.map((action) =>
    action.type === 'start'
      ? `start ${action.container.name} ${action.attempt}`
      : `stop ${action.container.name} ${action.graceMs}`,
  );
const events = (world: World): readonly string[] =>
  decide(observed(world), NOW).events.map(({ reason, message }) => `${reason}: ${message}`);
const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };

describe('containers are started and stopped', () => {
  const inits = { initContainers: [container('one'), container('two')] };
  const withSide = { initContainers: [sidecar, container('one')] };
  test.each<[string, World, readonly string[]]>([
    ['of a new pod', {}, ['start main 0']],
    ['all at once', { spec: { containers: [container('a'), container('b')] } }, ['start a 0', 'start b 0']],
    ['not before the pod may start', { createMs: 500 }, []],
    ['not while a volume is missing', { obstacle: { reason: 'FailedMount', message: 'x' } }, []],
    ['not while the image is missing', { seen: { image: { type: 'unavailable', message: 'no' } } }, []],
    ['not while its environment is', { seen: { configError: 'secret "x" not found' } }, []],
    ['not again while one runs', { states: { main: running() } }, []],
    ['again after its first crash', { states: { main: exited(1) } }, ['start main 1']],
    ['again after a good end, by policy', { states: { main: exited(0) } }, ['start main 1']],
    ['not after a good end', { spec: { restartPolicy: 'OnFailure' }, states: { main: exited(0) } }, []],
    ['never', { spec: { restartPolicy: 'Never' }, states: { main: exited(1) } }, []],
    [
      'by a rule of its own',
      {
        spec: {
          restartPolicy: 'Never',
          containers: [
            container('main', {
              restartPolicy: 'Never',
              restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
            }),
          ],
        },
        states: { main: exited(42) },
      },
      ['start main 1'],
    ],
    [
      'not during the back-off',
      {
        states: { main: exited(1, 9_999) },
        records: { main: { ...ran(1), crash: { ms: 10_000, at: NOW - 20_000 } } },
      },
      [],
    ],
    [
      'after the back-off',
      {
        states: { main: exited(1, 10_000) },
        records: { main: { ...ran(1), crash: { ms: 10_000, at: NOW - 20_000 } } },
      },
      ['start main 2'],
    ],
    [
      'at once when the last crash is long ago',
      {
        states: { main: exited(1) },
        records: { main: { ...ran(3), crash: { ms: 300_000, at: NOW - 600_001 } } },
      },
      ['start main 4'],
    ],
    ['the first of those before the others', { spec: inits }, ['start one 0']],
    ['the second when the first is done', { spec: inits, states: { one: exited(0) } }, ['start two 0']],
    [
      'the main ones when all are done',
      { spec: inits, states: { one: exited(0), two: exited(0) } },
      ['start main 0'],
    ],
    ['a failed one again', { spec: inits, states: { one: exited(1) } }, ['start one 1']],
    ['the sidecar first', { spec: withSide }, ['start side 0']],
    ['what follows when the sidecar is up', { spec: withSide, states: { side: running() } }, ['start one 0']],
    [
      'nothing while the sidecar is coming up',
      { spec: withSide, states: { side: running({ started: false }) } },
      [],
    ],
    [
      'a sidecar that ended, beside the others',
      {
        spec: withSide,
        states: { side: exited(0), one: exited(0), main: running() },
      },
      ['start side 1'],
    ],
    [
      'the sidecar is stopped when the others are over',
      {
        spec: { ...withSide, restartPolicy: 'Never' },
        states: { side: running(), one: exited(0), main: exited(0) },
      },
      ['stop side 30000'],
    ],
    [
      'all are stopped when the pod is deleted',
      { metadata: deleted, states: { main: running() } },
      ['stop main 5000'],
    ],
    [
      'sidecars last',
      {
        spec: withSide,
        metadata: deleted,
        states: { side: running(), one: exited(0), main: running() },
      },
      ['stop main 5000'],
    ],
    [
      'at once by an eviction',
      {
        end: { reason: 'Evicted', message: 'x', isEviction: true },
        states: { main: running() },
      },
      ['stop main 0'],
    ],
    [
      'past the deadline',
      {
        spec: { activeDeadlineSeconds: 10 },
        status: { startTime: '2025-12-31T23:59:50Z' },
        states: { main: running() },
      },
      ['stop main 30000'],
    ],
    [
      'not twice',
      { metadata: deleted, states: { main: running() }, records: { main: { ...ran(), stopBy: NOW + 5000 } } },
      [],
    ],
    [
      'twice when there is less time',
      {
        metadata: deleted,
        states: { main: running() },
        records: { main: { ...ran(), stopBy: NOW + 30_000 } },
      },
      ['stop main 5000'],
    ],
    [
      'when they are unhealthy',
      { states: { main: running({ unhealthy: 'liveness' }) } },
      ['stop main 30000'],
    ],
    [
      'when somebody declared the pod over',
      { status: { phase: 'Failed' }, states: { main: running() } },
      ['stop main 30000'],
    ],
  ])('%s', (_title, world, expected) => {
    expect(actions(world)).toEqual(expected);
  });
});

describe('looks again', () => {
  test.each<[string, World, number | undefined]>([
    ['never at a pod that runs', { states: { main: running() } }, undefined],
    ['when the pod may start', { createMs: 500 }, 500],
    [
      'when the back-off is over',
      {
        states: { main: exited(1, 4_000) },
        records: { main: { ...ran(1), crash: { ms: 10_000, at: NOW } } },
      },
      6_000,
    ],
    [
      'when the deadline is over',
      {
        spec: { activeDeadlineSeconds: 10 },
        status: { startTime: '2025-12-31T23:59:55Z' },
        states: { main: running() },
      },
      5_000,
    ],
    [
      'when the image is there',
      { seen: { image: { type: 'available', id: '', sizeBytes: 0, pullMs: 70 } } },
      70,
    ],
  ])('%s', (_title, world, expected) => {
    expect(decide(observed(world), NOW).requeueAfter).toBe(expected);
  });
});

test('a crash is told once for each back-off, which doubles up to five minutes', () => {
  const waits: string[] = [];
  let record: ContainerRecord = ran(1);
  let now = NOW;
  for (let crash = 0; crash < 7; crash++) {
    const world = observed({ states: { main: exited(1, NOW - now) } });
    now += record.crash?.ms ?? 0;
    const known = { ...world.record, containers: new Map([['main', record]]) };
    record = decide({ ...world, record: known }, now).record.containers.get('main') ?? record;
    waits.push(durationText(record.crash?.ms ?? 0));
  }
  expect(waits).toEqual(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s', '5m0s']);
});

test('what is missing is told once', () => {
  const obstacle = { reason: 'FailedMount', message: 'no volume' };
  const first = decide(observed({ obstacle }), NOW);
  expect(first.events).toEqual([{ type: 'Warning', ...obstacle }]);
  expect(decide({ ...observed({ obstacle }), record: first.record }, NOW).events).toEqual([]);
  expect(events({ seen: { configError: 'secret "x" not found' } })).toEqual([
    'Failed: Error: secret "x" not found',
  ]);
});

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
