import { expect, test } from 'vitest';
import { childrenOf, classOf, decidedAt, renderingOf, statusOf, timeAt } from '../testing/class-bench.ts';
import type { ClassRuntime } from '../api.ts';
import type { Live, LiveDeployment, LiveStatefulSet } from './observed-class.ts';
import { isServing, readinessOf } from './readiness.ts';

type Counts = {
  readonly spec: number;
  readonly replicas?: number;
  readonly updated?: number;
  readonly available?: number;
  readonly observed?: number | undefined;
  readonly paused?: boolean;
  readonly floor?: number;
};

/** Of generation 2. */
function deployment({ spec, replicas, updated, available, paused = false, ...rest }: Counts): Live {
  const [live] = childrenOf(classOf());
  if (live?.kind !== 'Deployment' || live.spec === undefined) throw new TypeError('it is a Deployment');
  const observed = 'observed' in rest ? rest.observed : 2;
  const status: LiveDeployment['status'] = {
    ...(observed === undefined ? {} : { observedGeneration: observed }),
    ...(replicas === undefined ? {} : { replicas }),
    ...(updated === undefined ? {} : { updatedReplicas: updated }),
    ...(available === undefined ? {} : { availableReplicas: available }),
  };
  const metadata = { ...live.metadata, generation: 2 };
  return { ...live, metadata, spec: { ...live.spec, replicas: spec, paused }, status };
}

const STATEFUL: NonNullable<LiveStatefulSet['status']> = {
  observedGeneration: 1,
  replicas: 3,
  readyReplicas: 3,
  updatedReplicas: 3,
  currentRevision: 'r-1',
  updateRevision: 'r-1',
};

function withStatefulGrid(runtime: ClassRuntime): ClassRuntime {
  return { ...runtime, spec: { ...runtime.spec, odgm: { workload: 'StatefulSet' } } };
}

test.each<readonly [string, Counts, string | undefined]>([
  ['CRT-K01 not observed', { spec: 1, replicas: 1, updated: 1, available: 1, observed: 1 }, 'NotObserved'],
  ['CRT-K02 none available', { spec: 2, replicas: 2, updated: 2, available: 0, floor: 2 }, 'Unavailable'],
  ['CRT-K03 all available', { spec: 2, replicas: 2, updated: 2, available: 2, floor: 2 }, undefined],
  ['CRT-K04 CRT-D08 one of two', { spec: 2, replicas: 2, updated: 2, available: 1, floor: 2 }, 'Unavailable'],
  ['CRT-K05 above the floor', { spec: 5, replicas: 5, updated: 5, available: 3, floor: 2 }, undefined],
  ['CRT-K06 rolling out', { spec: 3, replicas: 4, updated: 1, available: 3, floor: 3 }, 'Updating'],
  ['CRT-K07 an old pod is left', { spec: 3, replicas: 4, updated: 3, available: 3, floor: 3 }, 'OldReplicas'],
  ['CRT-K08 scaled to zero', { spec: 0 }, undefined],
  ['CRT-K09 paused', { spec: 2, replicas: 2, updated: 2, available: 2, paused: true }, 'Paused'],
  ['CRT-K10 no counters yet', { spec: 1, observed: undefined }, 'NotObserved'],
])('%s', (_title, counts, reason) => {
  const [rendered] = renderingOf(classOf({ minScale: counts.floor ?? 1 })).objects;
  if (rendered === undefined) throw new TypeError('there is a Deployment');
  const live = deployment(counts);
  expect(readinessOf(live, rendered).reason).toBe(reason);
  if ((counts.available ?? 0) > 0 || counts.spec === 0) expect(isServing(live)).toBe(true);
});

test.each<readonly [string, NonNullable<LiveStatefulSet['status']>, string | undefined]>([
  ['CRT-K18 another revision comes', { ...STATEFUL, updateRevision: 'r-2' }, 'Updating'],
  ['CRT-K18 one pod is too many', { ...STATEFUL, replicas: 4 }, 'Updating'],
  ['CRT-K18 one of three is not ready', { ...STATEFUL, readyReplicas: 2 }, 'Unavailable'],
  ['CRT-K18 not observed', { ...STATEFUL, observedGeneration: 0 }, 'NotObserved'],
  ['CRT-K18 all of one revision', STATEFUL, undefined],
])('%s', (_title, status, reason) => {
  const grid = withStatefulGrid(classOf({ odgm: true }));
  const desired = renderingOf(grid).objects.find(({ kind }) => kind === 'StatefulSet');
  const live = childrenOf(grid).find((object) => object.kind === 'StatefulSet');
  if (desired === undefined || live?.spec === undefined) throw new TypeError('there is a StatefulSet');
  const readiness = readinessOf({ ...live, spec: { ...live.spec, replicas: 3 }, status }, desired);
  expect(readiness).toMatchObject({ ready: reason === undefined });
  expect(readiness.reason).toBe(reason);
});

test('CRT-K18 a class whose data grid is a StatefulSet is available when all of it is ready', () => {
  const grid = withStatefulGrid(classOf({ odgm: true }));
  const status = statusOf(grid, 'progressing', 'Progressing', 0);
  const waiting = decidedAt(30, { ...grid, status }, childrenOf(grid, { 'hello-odgm': 0 }));
  expect(waiting).toMatchObject({ phase: 'progressing' });
  expect(waiting.message).toBe('StatefulSet/hello-odgm Unavailable 0/1 available');
  expect(decidedAt(30, { ...grid, status }, childrenOf(grid))).toMatchObject({ phase: 'available' });
});

test.each([
  ['a cluster IP', { clusterIP: '10.0.0.1' }, true],
  ['headless', { clusterIP: 'None' }, true],
  ['ExternalName', { type: 'ExternalName' }, true],
  ['none yet', {}, false],
])('CRT-K16 a Service: %s', (_title, spec, ready) => {
  const [, desired] = renderingOf(classOf()).objects;
  const live = childrenOf(classOf()).find(({ kind }) => kind === 'Service');
  if (desired === undefined || live === undefined) throw new TypeError('there is a Service');
  expect(readinessOf({ ...live, spec } as Live, desired).ready).toBe(ready);
});

test('CRT-K19 a child that is being deleted is not ready', () => {
  const { objects } = renderingOf(classOf());
  for (const [index, live] of childrenOf(classOf()).entries()) {
    const metadata = { ...live.metadata, deletionTimestamp: timeAt(0) };
    const desired = objects[index];
    if (desired === undefined) throw new TypeError('each has its desired object');
    expect(readinessOf({ ...live, metadata }, desired).reason).toBe('Terminating');
  }
});
