import { type appsv1, defined, type Stored } from '@kubewright/kube';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DESIRED_REPLICAS } from '../constants.ts';
import { decide } from './decide.ts';
import { sameTemplate } from './find-generations.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

type Strategy = { readonly maxSurge: number | string; readonly maxUnavailable: number | string };

const deploymentOf = (replicas: number, image: string, strategy?: Strategy): Stored<appsv1.Deployment> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', uid: 'd', resourceVersion: '1', generation: 1 },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
    strategy: strategy ? { type: 'RollingUpdate', rollingUpdate: strategy } : { type: 'Recreate' },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  },
});

/** A Deployment with its ReplicaSets, and pods that come and become available on demand. */
class Rollout {
  deployment: Stored<appsv1.Deployment>;
  sets: Stored<appsv1.ReplicaSet>[] = [];
  reasons: string[] = [];

  constructor(deployment: Stored<appsv1.Deployment>) {
    this.deployment = deployment;
  }

  /** Carries one decision out, as the API server would keep it. */
  step(): void {
    const { actions, write, reason } = decide(
      { deployment: this.deployment, replicaSets: this.sets, podsOf: () => [], renewalWait: () => 0 },
      NOW,
    );
    this.reasons.push(reason);
    for (const action of actions) {
      if (action.type === 'create') this.sets.push(stored(action.replicaSet, this.sets.length));
      if (action.type === 'scale' || action.type === 'update')
        this.sets = this.sets.map((one) =>
          one.metadata.uid === action.replicaSet.metadata.uid ? action.replicaSet : one,
        );
      if (action.type === 'delete')
        this.sets = this.sets.filter((one) => one.metadata.uid !== action.replicaSet.metadata.uid);
    }
    if (write === undefined) return;
    this.deployment = { ...this.deployment, status: write.status };
  }

  /** The ReplicaSet controller and the kubelets do a part of their work: `share` of 0 to 1. */
  run(index: number, share: number): void {
    this.sets = this.sets.map((one, at) => {
      if (at !== index % this.sets.length) return one;
      const replicas = one.spec.replicas ?? 0;
      const before = Math.min(one.status?.availableReplicas ?? 0, replicas);
      const availableReplicas = before + Math.ceil((replicas - before) * share);
      return { ...one, status: { replicas, availableReplicas, readyReplicas: availableReplicas } };
    });
  }

  settle(): void {
    for (let turn = 0; turn < 200 && this.reasons.at(-1) !== 'Complete'; turn++) {
      this.step();
      for (const index of this.sets.keys()) this.run(index, 1);
    }
  }

  change(deployment: Stored<appsv1.Deployment>): void {
    const { status } = this.deployment;
    this.deployment = { ...deployment, ...defined({ status }) };
    this.reasons = [];
  }

  get size(): number {
    return this.sets.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
  }

  get available(): number {
    return this.sets.reduce(
      (sum, { spec, status }) => sum + Math.min(spec.replicas ?? 0, status?.availableReplicas ?? 0),
      0,
    );
  }
}

function stored(replicaSet: appsv1.ReplicaSet, index: number): Stored<appsv1.ReplicaSet> {
  const creationTimestamp = `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`;
  const { name = '' } = replicaSet.metadata;
  const metadata = { ...replicaSet.metadata, name, uid: `rs${index}`, resourceVersion: '1' };
  return { ...replicaSet, metadata: { ...metadata, creationTimestamp } };
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const count = (value: number | string, desired: number, round: (x: number) => number): number =>
  typeof value === 'number' ? value : round((Number.parseInt(value, 10) * desired) / 100);

describe('a rolling update', () => {
  test('keeps within surge and unavailability at every step, whatever comes when, and ends', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.record({ maxSurge: amount, maxUnavailable: amount }),
        fc.array(fc.tuple(fc.nat(3), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 60 }),
        (replicas, strategy, events) => {
          const rollout = new Rollout(deploymentOf(replicas, 'web:1', strategy));
          rollout.settle();
          expect(rollout.available).toBe(replicas);
          rollout.change(deploymentOf(replicas, 'web:2', strategy));
          const surge = count(strategy.maxSurge, replicas, Math.ceil);
          const unavailable = count(strategy.maxUnavailable, replicas, Math.floor);
          const most = replicas + surge;
          const least = replicas - (surge + unavailable === 0 ? 1 : Math.min(unavailable, replicas));
          for (const [index, share] of events) {
            rollout.step();
            expect(rollout.size).toBeLessThanOrEqual(most);
            expect(rollout.available).toBeGreaterThanOrEqual(least);
            rollout.run(index, share);
          }
          rollout.settle();
          const [old, current] = rollout.sets;
          expect([old?.spec.replicas, current?.spec.replicas]).toEqual([0, replicas]);
          expect(rollout.deployment.status?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
            ['Available', 'MinimumReplicasAvailable'],
            ['Progressing', 'NewReplicaSetAvailable'],
          ]);
        },
      ),
    );
  });

  test('that is scaled half-way gives each revision its share', () => {
    const rollout = new Rollout(deploymentOf(10, 'web:1', { maxSurge: 3, maxUnavailable: 2 }));
    rollout.settle();
    rollout.change(deploymentOf(10, 'web:2', { maxSurge: 3, maxUnavailable: 2 }));
    for (let step = 0; step < 3; step++) rollout.step();
    expect(rollout.sets.map(({ spec }) => spec.replicas)).toEqual([8, 5]);
    rollout.change(deploymentOf(20, 'web:2', { maxSurge: 3, maxUnavailable: 2 }));
    rollout.step();
    expect(rollout.sets.map(({ spec }) => spec.replicas)).toEqual([14, 9]);
    expect(rollout.sets.map(({ metadata }) => metadata.annotations?.[DESIRED_REPLICAS])).toEqual([
      '20',
      '20',
    ]);
  });

  test('back to an old template takes its ReplicaSet again, as a new revision', () => {
    const rollout = new Rollout(deploymentOf(3, 'web:1', { maxSurge: 1, maxUnavailable: 0 }));
    rollout.settle();
    rollout.change(deploymentOf(3, 'web:2', { maxSurge: 1, maxUnavailable: 0 }));
    rollout.settle();
    rollout.change(deploymentOf(3, 'web:1', { maxSurge: 1, maxUnavailable: 0 }));
    rollout.settle();
    expect(rollout.sets).toHaveLength(2);
    expect(rollout.sets[0]?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect(rollout.sets.map(({ spec }) => spec.replicas)).toEqual([3, 0]);
  });
});

describe('strategy Recreate', () => {
  test('makes no new pod while an old one is left', () => {
    const rollout = new Rollout(deploymentOf(3, 'web:1'));
    rollout.settle();
    rollout.change(deploymentOf(3, 'web:2'));
    rollout.step();
    rollout.step();
    expect(rollout.reasons).toEqual(['ScalingDown', 'WaitingForOldPods']);
    expect(rollout.sets.map(({ spec }) => spec.replicas)).toEqual([0]);
    rollout.run(0, 1);
    rollout.step();
    expect(rollout.sets.map(({ spec }) => spec.replicas)).toEqual([0, 3]);
    expect(sameTemplate(rollout.sets[1]?.spec.template, rollout.deployment.spec.template)).toBe(true);
  });
});

describe('a paused Deployment', () => {
  test('is scaled but not rolled out', () => {
    const rollout = new Rollout(deploymentOf(2, 'web:1', { maxSurge: 1, maxUnavailable: 0 }));
    rollout.settle();
    const next = deploymentOf(5, 'web:2', { maxSurge: 1, maxUnavailable: 0 });
    rollout.change({ ...next, spec: { ...next.spec, paused: true } });
    rollout.step();
    rollout.step();
    expect(rollout.sets.map(({ spec }) => spec.replicas)).toEqual([5]);
    const conditions = rollout.deployment.status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'Progressing')?.reason).toBe('DeploymentPaused');
  });
});
