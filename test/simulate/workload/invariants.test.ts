import type { Written } from '@kubewright/cluster';
import type { KubeObject, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { readyAddresses, bounded, ordered } from './invariants.ts';

const SET = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u' };

const set: Stored = {
  apiVersion: SET.apiVersion,
  kind: SET.kind,
  metadata: { name: SET.name, uid: SET.uid, resourceVersion: '1' },
  spec: { podManagementPolicy: 'OrderedReady' },
};

const pod = (ordinal: number, ready: boolean, metadata: KubeObject['metadata'] = {}): Stored => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...metadata,
    name: `db-${ordinal}`,
    uid: `uid-${ordinal}`,
    resourceVersion: '1',
    ownerReferences: [SET],
  },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

type Step = Pick<Written, 'type' | 'object'>;
const born = (ordinal: number): Step => ({ type: 'ADDED', object: pod(ordinal, false) });
const ready = (ordinal: number): Step => ({ type: 'MODIFIED', object: pod(ordinal, true) });
const broken = (ordinal: number): Step => ({ type: 'MODIFIED', object: pod(ordinal, false) });
const gone = (ordinal: number): Step => ({ type: 'DELETED', object: pod(ordinal, true) });
const leaving = (ordinal: number): Step => ({
  type: 'MODIFIED',
  object: pod(ordinal, true, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
});

function judge(...steps: readonly Step[]): string | undefined {
  const pods = steps.map((step, at) => ({ ...step, at, resource: 'pods' }));
  return ordered({ all: [{ type: 'ADDED', object: set, at: 0, resource: 'statefulsets' }, ...pods] });
}

test('a pod may be born when those before it are ready', () => {
  expect(judge(born(0), ready(0), born(1), ready(1), born(2))).toBeUndefined();
});

test('a pod may be born when one before it was lost since, unknown to a late watch', () => {
  const both = [born(0), ready(0), born(1), ready(1)];
  expect(judge(...both, leaving(0), gone(0), born(2))).toBeUndefined();
  expect(judge(...both, gone(1), leaving(0), born(2), gone(0), born(1))).toBeUndefined();
});

test.each<readonly [string, readonly Step[]]>([
  ['is not there', [born(1)]],
  ['is not ready', [born(0), born(1)]],
  ['is not ready, though another is', [born(0), ready(0), born(1), born(2)]],
  ['is not ready since it was made anew', [born(0), ready(0), gone(0), born(0), born(1)]],
  ['left before the other was ready', [born(0), ready(0), leaving(0), born(1), ready(1), born(2)]],
  ['broke before the other was ready', [born(0), ready(0), born(1), broken(0), ready(1), born(2)]],
])('a pod may not be born while one before it %s', (_why, steps) => {
  expect(judge(...steps)).toMatch(/^at \d db-\d was born before its turn$/);
});

const write = (
  resource: string,
  object: Partial<KubeObject> & { readonly kind: string; readonly metadata: Partial<Stored['metadata']> },
): Written => ({
  type: 'MODIFIED',
  object: {
    apiVersion: 'v1',
    ...object,
    metadata: { name: 'api', uid: 'u', resourceVersion: '1', ...object.metadata },
  },
  at: 1,
  resource,
});
const target = { kind: 'Pod', name: 'db-0', uid: 'uid-0' };

test.each([
  [
    'Endpoints',
    write('endpoints', {
      kind: 'Endpoints',
      metadata: {},
      subsets: [{ addresses: [{ targetRef: target }] }],
    }),
  ],
  [
    'EndpointSlice',
    write('endpointslices', {
      kind: 'EndpointSlice',
      metadata: {},
      endpoints: [{ conditions: { ready: true }, targetRef: target }],
    }),
  ],
])('%s may call a pod ready that was ready, and no other', (_kind, reported) => {
  const before = [pod(0, false), pod(1, true)].map((object) => write('pods', object));
  expect(readyAddresses({ all: [...before, reported] })).toBe('at 1 db-0 was reported ready');
  const all = [...before, write('pods', pod(0, true)), write('pods', pod(0, false)), reported];
  expect(readyAddresses({ all })).toBeUndefined();
});

test.each([
  ['to grow within them', [2, 4], undefined],
  ['to be brought there', [7, 4, 2], undefined],
  ['to leave them above', [7, 4, 5], 'at 1 api was scaled to 5'],
  ['to leave them below', [3, 1], 'at 1 api was scaled to 1'],
])('bounds of an autoscaler: a Deployment was seen %s', (_what, sizes, failure) => {
  const spec = { scaleTargetRef: { name: 'api' }, minReplicas: 2, maxReplicas: 4 };
  const autoscaler = write('horizontalpodautoscalers', { kind: 'HPA', metadata: {}, spec });
  const metadata = { name: 'api', namespace: 'work', uid: 'u' };
  const deployments = sizes.map((replicas) =>
    write('deployments', { kind: 'Deployment', metadata, spec: { replicas } }),
  );
  expect(bounded({ all: [autoscaler, ...deployments] })).toBe(failure);
});
