import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import {
  approvals,
  child,
  create,
  CTL,
  decided,
  remove,
  resized,
  site,
  traceIn,
  update,
  users,
} from '../testing/objects.ts';

const reason = (...call: Parameters<typeof decided>): string => decided(...call).reason;
const updatedBy = (...names: readonly string[]) =>
  child({ annotations: { [ANNOTATIONS.updaters]: users(...names) } });
const controlledBy = (...names: readonly string[]) =>
  site({ annotations: { [ANNOTATIONS.controllers]: users(...names) } });

describe('who writes', () => {
  test('DRF-13 DRF-14 the controller of a parent that nobody changed drifts; alice does not', () => {
    expect(decided(update(child()), site())).toMatchObject({ reason: 'Drift', allowed: false });
    const byAlice = decided(update(child(), { user: 'alice' }), site());
    expect(byAlice).toMatchObject({ reason: 'OtherActor', allowed: true });
    expect(traceIn(byAlice)).toMatchObject([{ kind: 'ReplicaSet', generation: 8, user: 'alice' }]);
  });

  test('DRF-15 DRF-16 where nobody wrote both, who writes the status is the controller', () => {
    const byProxy = updatedBy('proxy');
    expect(reason(update(byProxy, { user: 'proxy' }), site())).toBe('OtherActor');
    expect(reason(update(byProxy), site())).toBe('Drift');
  });

  test('DRF-17 who wrote both is the controller, and who wrote only the status is not', () => {
    const parent = controlledBy('a', 'b');
    expect(reason(update(updatedBy('a', 'x'), { user: 'a' }), parent)).toBe('Drift');
    expect(reason(update(updatedBy('a', 'x'), { user: 'b' }), parent)).toBe('OtherActor');
  });

  test('DRF-18 before anybody wrote the status, the only writer of the child is the controller', () => {
    expect(reason(update(child()), controlledBy())).toBe('Drift');
    expect(reason(update(child(), { user: 'alice' }), controlledBy())).toBe('OtherActor');
  });

  test('DRF-19 of two writers nobody can tell: allowed, a new origin', () => {
    const decision = decided(update(updatedBy('x', 'y'), { user: 'x' }), controlledBy());
    expect(decision).toMatchObject({ reason: 'UnknownController', allowed: true, audit: { drift: 'false' } });
    expect(traceIn(decision)).toMatchObject([{ user: 'x' }]);
  });

  test('DRF-20 DRF-21 a child from before the installation may be edited and deleted', () => {
    expect(reason(update(updatedBy(), { user: 'alice' }), controlledBy())).toBe('UnknownController');
    expect(reason(remove(updatedBy(), 'alice'), controlledBy())).toBe('UnknownController');
    expect(decided(remove(child()), site())).toMatchObject({ reason: 'Drift', allowed: false });
    expect(decided(remove(child(), 'alice'), site())).toMatchObject({ allowed: true });
  });
});

describe('where the parent is', () => {
  test('DRF-26 a parent that is reconciling explains what its controller does', () => {
    const trace = [
      {
        apiVersion: 'example.com/v1',
        kind: 'Site',
        name: 'web',
        generation: 4,
        user: 'alice',
        timestamp: '2026-01-01T09:00:00Z',
      },
    ];
    const parent = site({
      metadata: { generation: 4 },
      annotations: { [ANNOTATIONS.trace]: JSON.stringify(trace) },
    });
    const decision = decided(update(child()), { ...parent, metadata: { ...parent.metadata, generation: 4 } });
    expect(decision).toMatchObject({ reason: 'Reconciling', allowed: true, audit: { drift: 'false' } });
    expect(traceIn(decision)).toEqual([
      ...trace,
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web',
        generation: 8,
        user: CTL,
        timestamp: '2026-01-01T10:00:00Z',
      },
    ]);
  });

  test('DRF-27 a parent without a trace is the first hop, changed by nobody knows whom', () => {
    const parent = site({ status: { observedGeneration: 2 } });
    expect(traceIn(decided(update(child()), parent))).toMatchObject([
      { kind: 'Site', generation: 3, user: '' },
      { kind: 'ReplicaSet', user: CTL },
    ]);
  });

  test('DRF-35 where nothing tells what was observed, the controller continues the trace, and who may be it begins one', () => {
    const annotations = { [ANNOTATIONS.trace]: JSON.stringify([{ kind: 'Site', user: 'alice' }]) };
    const silent = (...names: readonly string[]) =>
      site({ status: {}, annotations: { ...annotations, [ANNOTATIONS.controllers]: users(...names) } });
    const confirmed = decided(update(child()), silent(CTL));
    expect(confirmed).toMatchObject({ allowed: true, audit: { drift: 'false' } });
    expect(traceIn(confirmed)).toMatchObject([{ user: 'alice' }, { user: CTL }]);
    const unconfirmed = decided(update(updatedBy('x', 'y'), { user: 'x' }), silent());
    expect(unconfirmed).toMatchObject({ allowed: true, audit: { drift: 'false' } });
    expect(traceIn(unconfirmed)).toMatchObject([{ user: 'x' }]);
    expect(traceIn(unconfirmed)).toHaveLength(1);
  });

  test('DRF-28 an observed generation ahead of the generation is reconciling', () => {
    expect(reason(update(child()), site({ status: { observedGeneration: 5 } }))).toBe('Reconciling');
  });

  const fresh = (status: object | undefined) =>
    site({ annotations: { [ANNOTATIONS.phase]: 'initializing' }, status });
  const conditions = (...entries: readonly (readonly [string, string])[]) =>
    entries.map(([type, status]) => ({
      type,
      status,
      reason: 'X',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }));

  test('DRF-29 a parent that is not ready yet initializes, synced or not', () => {
    expect(reason(create(child()), fresh(undefined))).toBe('Initializing');
    const synced = { observedGeneration: 3, conditions: conditions(['Synced', 'True'], ['Ready', 'False']) };
    expect(reason(create(child()), fresh(synced))).toBe('Initializing');
  });

  test('DRF-30 Ready, Initialized, or Available with an observed generation end the initialization', () => {
    for (const type of ['Ready', 'Initialized', 'Available'])
      expect(
        reason(update(child()), fresh({ observedGeneration: 3, conditions: conditions([type, 'True']) })),
      ).toBe('Drift');
    const phase = (type: string) =>
      decided(update(child()), fresh({ conditions: conditions([type, 'True']) })).audit?.['lifecycle-phase'];
    expect(['Ready', 'Initialized', 'Available'].map(phase)).toEqual([
      'Initialized',
      'Initialized',
      'Initializing',
    ]);
  });

  test('DRF-31 initialized once, it stays so', () => {
    const status = { observedGeneration: 3, conditions: conditions(['Ready', 'False']) };
    expect(reason(update(child()), site({ status }))).toBe('Drift');
  });

  test('DRF-33 a parent that is being deleted lets everything through', () => {
    const base = site();
    const parent = { ...base, metadata: { ...base.metadata, deletionTimestamp: '2026-01-01T09:59:00Z' } };
    for (const review of [update(child()), create(child()), remove(child())])
      expect(decided(review, parent)).toMatchObject({ reason: 'ParentDeleting', allowed: true });
  });

  test('DRF-34 the observed generation of a condition counts where the status has none, Synced first', () => {
    const condition = (type: string, observedGeneration: number) => ({
      ...conditions([type, 'True'])[0],
      observedGeneration,
    });
    const both = [condition('Ready', 5), condition('Synced', 3)];
    expect(reason(update(child()), site({ status: { conditions: both } }))).toBe('Drift');
    const ready = [condition('Available', 5), condition('Ready', 3)];
    expect(reason(update(child()), site({ status: { conditions: ready } }))).toBe('Drift');
    expect(reason(update(child()), site({ status: { conditions: both, observedGeneration: 2 } }))).toBe(
      'Reconciling',
    );
    const seen = (text: string) =>
      site({ status: {}, annotations: { [ANNOTATIONS.observedGeneration]: text } });
    expect(reason(update(child()), seen('3'))).toBe('Drift');
    expect(reason(update(child()), seen('abc'))).toBe('Reconciling');
  });

  test('a condition Reconciling explains changes for ten minutes', () => {
    const since = (lastTransitionTime: string) =>
      site({
        status: {
          observedGeneration: 3,
          conditions: [{ type: 'Reconciling', status: 'True', lastTransitionTime }],
        },
      });
    expect(reason(update(child()), since('2026-01-01T09:55:00Z'))).toBe('Reconciling');
    expect(reason(update(child()), since('2026-01-01T09:45:00Z'))).toBe('Drift');
  });

  test('DRF-57 a frozen parent denies everybody, whatever else holds', () => {
    const frozen = (value: string, fields = {}) =>
      site({ annotations: { [ANNOTATIONS.freeze]: value }, ...fields });
    const json = '{"user":"bob","message":"incident","at":"2026-01-01T09:00:00Z"}';
    const approved = approvals({ mode: 'always' });
    for (const value of ['true', json, 'garbage'])
      for (const review of [
        update(child()),
        update(child(), { user: 'alice' }),
        create(child()),
        remove(child()),
      ])
        for (const parent of [
          frozen(value),
          frozen(value, { status: { observedGeneration: 2 } }),
          frozen(value, { annotations: { [ANNOTATIONS.freeze]: value, ...approved } }),
        ])
          expect(decided(review, parent, 'log')).toMatchObject({ reason: 'Frozen', allowed: false });
    const { message } = decided(update(child()), frozen(json));
    expect(message).toContain('parent frozen: incident (since 2026-01-01T09:00:00Z)');
    expect(message).not.toContain('bob');
    for (const value of ['false', ''])
      expect(reason(update(child(), { user: 'alice' }), frozen(value))).toBe('OtherActor');
    const old = child();
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } };
    expect(decided(update(old, { object: labelled }), frozen('true'))).toMatchObject({ allowed: true });
    const deleting = frozen('true', { metadata: { deletionTimestamp: '2026-01-01T09:59:00Z' } });
    expect(decided(update(child()), deleting)).toMatchObject({ allowed: true });
  });
});

describe('a rollout', () => {
  const deployment = (replicas: number, updatedReplicas: number, progressing: string) => ({
    ...site({ spec: { replicas: 10 } }),
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    status: {
      observedGeneration: 3,
      replicas,
      updatedReplicas,
      conditions: [{ type: 'Progressing', status: 'True', reason: progressing }],
    },
  });

  test('DRF-36 is expected until all pods are new and no more than wanted', () => {
    const step = (replicas: number, updated: number, progressing: string) =>
      reason(update(child()), deployment(replicas, updated, progressing));
    expect(step(10, 0, 'NewReplicaSetAvailable')).toBe('Reconciling');
    expect(step(13, 5, 'ReplicaSetUpdated')).toBe('Reconciling');
    expect(step(12, 10, 'ReplicaSetUpdated')).toBe('Reconciling');
    expect(step(10, 10, 'ReplicaSetUpdated')).toBe('Reconciling');
    expect(step(10, 10, 'NewReplicaSetAvailable')).toBe('Drift');
  });

  test('deletes what is beyond its history, and nothing that runs', () => {
    const done = deployment(10, 10, 'NewReplicaSetAvailable');
    expect(reason(remove(child({ spec: { replicas: 0 }, status: { replicas: 0 } })), done)).toBe(
      'HistoryCleanup',
    );
    expect(reason(remove(child({ spec: { replicas: 0 }, status: { replicas: 1 } })), done)).toBe('Drift');
    expect(reason(remove(resized(child(), 2)), done)).toBe('Drift');
  });
});

test('DRF-78 the data of a ConfigMap counts as a spec does', () => {
  const old = { ...child(), apiVersion: 'v1', kind: 'ConfigMap', spec: {}, data: { color: 'red' } };
  const { message } = decided(update(old, { object: { ...old, data: { color: 'blue' } } }), site());
  expect(message).toContain('updates ConfigMap web (data.color)');
});
