import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { NOW, site, update, CTL } from '../testing/objects.ts';
import { checkCoverage } from '../commands/doctor/check-coverage.ts';
import { decideAdmission } from './decide-admission.ts';
import { isReconciling, nativeObservedGeneration, observedGenerationOf, phaseOf } from './is-reconciling.ts';

const ago = (seconds: number): string =>
  new Date(NOW.getTime() - seconds * 1000).toISOString().replace('.000', '');
const observed = (status: JsonObject, more = {}) => nativeObservedGeneration(site({ status, ...more }));
const condition = (type: string, status = 'True', more = {}) => ({ type, status, ...more });

describe('the generation that a status has seen', () => {
  test.each<[string, JsonObject, number | undefined]>([
    ['as text, as Argo Rollouts writes it', { observedGeneration: '4' }, 4],
    ['of a hash, as older Rollouts wrote it', { observedGeneration: '5f9c' }, undefined],
    ['in the condition Ready', { conditions: [condition('Ready', 'False', { observedGeneration: 3 })] }, 3],
    [
      'in other conditions, the latest',
      {
        conditions: [
          condition('A', 'True', { observedGeneration: 2 }),
          condition('B', 'True', { observedGeneration: 3 }),
        ],
      },
      3,
    ],
    ['nowhere', { conditions: [condition('A')] }, undefined],
    ['in a list that is none', { conditions: 'x' }, undefined],
  ])('%s', (_where, status, generation) => expect(observed(status)).toBe(generation));

  test('DRF-34 the status comes before Synced, Synced before Ready', () => {
    const conditions = [
      condition('Ready', 'True', { observedGeneration: 5 }),
      condition('Synced', 'True', { observedGeneration: 6 }),
    ];
    expect(observed({ conditions })).toBe(6);
    expect(observed({ observedGeneration: 5, conditions })).toBe(5);
    expect(
      observedGenerationOf(site({ status: {}, annotations: { [ANNOTATIONS.observedGeneration]: 'abc' } })),
    ).toBeUndefined();
  });
});

describe('a change of the parent', () => {
  const changed = (seconds: number, status: JsonObject, settled?: number): KubeObject => {
    const trace = [
      { apiVersion: 'x', kind: 'Site', name: 'web', generation: 3, user: 'alice', timestamp: ago(seconds) },
    ];
    return site({
      status: { observedGeneration: 3, ...status },
      annotations: {
        [ANNOTATIONS.trace]: JSON.stringify(trace),
        ...(settled === undefined ? {} : { [ANNOTATIONS.settled]: String(settled) }),
      },
    });
  };

  test('is not over with the first status that has seen it, if that says that it is not ready', () => {
    const unready = { conditions: [condition('Ready', 'False')] };
    expect(isReconciling(changed(30, unready, 2), NOW)).toBe(true);
    expect(isReconciling(changed(600, unready, 2), NOW)).toBe(false);
    expect(isReconciling(changed(30, unready, 3), NOW)).toBe(false);
    // Nothing was recorded: as the original.
    expect(isReconciling(changed(30, unready), NOW)).toBe(false);
  });

  test('is done when a status says so, and that is recorded with it', () => {
    const settledBy = (status: JsonObject, parent = changed(30, {}, 2)): string | undefined => {
      const object = { ...parent, status: { observedGeneration: 3, ...status } };
      const review = { ...update(parent, { object }), isStatus: true };
      return decideAdmission(review, { mode: 'enforce', isEnding: false }, NOW).annotations?.[
        ANNOTATIONS.settled
      ];
    };
    expect(settledBy({ conditions: [condition('Ready', 'False')] })).toBe('2');
    expect(settledBy({ conditions: [condition('Ready')] })).toBe('3');
    expect(settledBy({})).toBe('3');
    expect(settledBy({ observedGeneration: 2, conditions: [condition('Ready')] })).toBe('2');
  });

  test('DRF-144 is as unsettled as any other where it is the first since its policy began', () => {
    const unready = { conditions: [condition('Ready', 'False')] };
    const settledFrom = (observedGeneration: number): string | undefined => {
      const old = { ...changed(30, {}), status: { observedGeneration, conditions: [condition('Ready')] } };
      const review = { ...update(old, { object: changed(30, unready) }), isStatus: true };
      return decideAdmission(review, { mode: 'enforce', isEnding: false }, NOW).annotations?.[
        ANNOTATIONS.settled
      ];
    };
    expect(settledFrom(2)).toBe('2');
    // It is not ready any more, and nobody has changed it.
    expect(settledFrom(3)).toBeUndefined();
  });

  test('by its own controller, once it was done, is none', () => {
    const parent = changed(30, {}, 3);
    const object = { ...parent, spec: { added: true } };
    const settledBy = (user: string, old = parent) =>
      decideAdmission(update(old, { object, user }), { mode: 'enforce', isEnding: false }, NOW).annotations?.[
        ANNOTATIONS.settled
      ];
    expect(settledBy(CTL)).toBe('4');
    expect(settledBy('alice')).toBe('3');
    expect(settledBy(CTL, changed(30, {}, 2))).toBe('2');
    const after = {
      ...parent,
      metadata: {
        ...parent.metadata,
        generation: 4,
        annotations: { ...parent.metadata.annotations, [ANNOTATIONS.settled]: '4' },
      },
    };
    expect(isReconciling(after, NOW)).toBe(false);
  });

  test('of an annotation of its project is one for a minute; of another, and by its controller, it is none', () => {
    const scaled = { ...site({ apiVersion: 'keda.sh/v1', kind: 'ScaledObject' }) };
    const touchedBy = (key: string, user = 'alice') => {
      const annotations = { ...scaled.metadata.annotations, [key]: 'true' };
      const object = { ...scaled, metadata: { ...scaled.metadata, annotations } };
      return decideAdmission(update(scaled, { object, user }), { mode: 'enforce', isEnding: false }, NOW)
        .annotations?.[ANNOTATIONS.touched];
    };
    expect(touchedBy('autoscaling.keda.sh/paused')).toBe(ago(0));
    expect(touchedBy('example.com/paused')).toBeUndefined();
    expect(touchedBy('autoscaling.keda.sh/paused', CTL)).toBeUndefined();
    const touched = (seconds: number) => site({ annotations: { [ANNOTATIONS.touched]: ago(seconds) } });
    expect([isReconciling(touched(59), NOW), isReconciling(touched(60), NOW)]).toEqual([true, false]);
  });
});

describe('a parent without the conditions by which others are ready', () => {
  const old = (more = {}, seconds = 600) =>
    site({
      metadata: { name: 'web', uid: 'p-1', generation: 1, creationTimestamp: ago(seconds) },
      annotations: { [ANNOTATIONS.phase]: '' },
      ...more,
    });

  test('is initialized ten minutes after it was created', () => {
    expect(phaseOf(old(), NOW)).toBe('Initialized');
    expect(phaseOf(old({}, 599), NOW)).toBe('Initializing');
    expect(phaseOf(old({ status: { conditions: [condition('Ready', 'False')] } }), NOW)).toBe('Initializing');
    expect(phaseOf(old({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }), NOW)).toBe('Initializing');
  });

  test('is initialized by those that its profile names', () => {
    const rabbit = (status: string) =>
      old({
        apiVersion: 'rabbitmq.com/v1beta1',
        kind: 'RabbitmqCluster',
        status: { conditions: [condition('AllReplicasReady'), condition('ReconcileSuccess', status)] },
      });
    expect([phaseOf(rabbit('True'), NOW), phaseOf(rabbit('False'), NOW)]).toEqual([
      'Initialized',
      'Initializing',
    ]);
  });

  test('is reported as covered or not, and why', () => {
    const told = (...owners: readonly KubeObject[]) => checkCoverage({ owners: owners as never }, NOW);
    expect(told(site())).toEqual([{ status: 'ok', what: 'Site (example.com/v1) is covered' }]);
    expect(told(old({}, 5))).toMatchObject([
      { status: 'warning', what: expect.stringContaining('none of the conditions') },
    ]);
    expect(told(old({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }))).toMatchObject([
      { status: 'ok', what: expect.stringContaining('is not covered: its pods follow its template') },
    ]);
    const silent = old({ status: { state: 'ok' } });
    const learned = expect.stringContaining('is covered when a policy has learned it') as string;
    expect(told(silent)).toEqual([{ status: 'ok', what: learned }]);
    expect(told(silent, site())).toEqual([{ status: 'ok', what: 'Site (example.com/v1) is covered' }]);
    const waiting = old({ status: { conditions: [condition('Ready', 'False')] } });
    expect(told(waiting)).toMatchObject([
      { status: 'warning', what: expect.stringContaining('none was ever ready') },
    ]);
    expect(told()).toHaveLength(1);
  });
});

describe('an Argo Rollout', () => {
  const rollout = (status: JsonObject) =>
    site({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      status: { observedGeneration: '3', ...status },
    });
  test.each<[string, JsonObject, boolean]>([
    ['healthy', { phase: 'Healthy', stableRS: 'a', currentPodHash: 'a' }, false],
    ['paused', { phase: 'Paused', stableRS: 'a', currentPodHash: 'b' }, true],
    ['degraded in the middle', { phase: 'Degraded', stableRS: 'a', currentPodHash: 'b' }, true],
    ['silent', {}, false],
  ])('that is %s', (_what, status, isWorking) => expect(isReconciling(rollout(status), NOW)).toBe(isWorking));
});
