import { describe, expect, test } from 'vitest';
import type { ContainerRecord } from '../pod-record.ts';
import { decide } from './decide.ts';
import { durationText } from './start-container.ts';
import { container, deleted, exited, NOW, observed, ran, running, type World } from './testing/world.ts';

const sidecar = container('side', { restartPolicy: 'Always' });

const actions = (world: World): readonly string[] =>
  decide(observed(world), NOW).actions.map((action) =>
    action.type === 'start'
      ? `start ${action.container.name} ${action.attempt}`
      : `stop ${action.container.name} ${action.graceMs}`,
  );
const events = (world: World): readonly string[] =>
  decide(observed(world), NOW).events.map(({ reason, message }) => `${reason}: ${message}`);

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

test('a crash gets one event for each back-off, which doubles up to five minutes', () => {
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

test('what is missing gets one event', () => {
  const obstacle = { reason: 'FailedMount', message: 'no volume' };
  const first = decide(observed({ obstacle }), NOW);
  expect(first.events).toEqual([{ type: 'Warning', ...obstacle }]);
  expect(decide({ ...observed({ obstacle }), record: first.record }, NOW).events).toEqual([]);
  expect(events({ seen: { configError: 'secret "x" not found' } })).toEqual([
    'Failed: Error: secret "x" not found',
  ]);
});
