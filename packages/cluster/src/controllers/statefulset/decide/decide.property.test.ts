import type { appsv1, corev1, Named, Stored } from '@kubewright/kube';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import type { Observed, PodAction } from './stateful-set-decision.ts';
import { ordinalOf } from './ordinal-of.ts';
import { isLeaving, isRunningAndReady } from './pod-phase.ts';
import { revisionOf } from './missing-pod.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const READY = [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-12-31T00:00:00Z' }];

type Pod = Named<corev1.Pod>;

/** A set and its pods, as an API server and a kubelet would keep them. */
class Play {
  set: Stored<appsv1.StatefulSet>;
  revision = 'r1';
  pods: Pod[] = [];
  /** What the controller did in each turn. */
  turns: (readonly PodAction[])[] = [];
  #uids = 0;

  constructor(spec: Partial<appsv1.StatefulSetSpec>) {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
    this.set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'web', namespace: 'default', uid: 's', resourceVersion: '1', generation: 1 },
      spec: {
        selector: { matchLabels: labels },
        template,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        ...spec,
      },
    };
  }

  get observed(): Observed {
    const { template } = this.set.spec;
    const current = { revision: this.set.status?.currentRevision ?? this.revision, template };
    const update = { revision: this.revision, template };
    return { set: this.set, pods: this.pods, findClaim: () => undefined, current, update, collisions: 0 };
  }

  step(): void {
    const { stages, status } = decide(this.observed, NOW);
    const actions = stages.flat(2);
    for (const action of actions) this.#perform(action);
    this.turns.push(actions);
    this.set = { ...this.set, status: status(true) };
  }

  #perform({ type, pod }: PodAction): void {
    const same = ({ metadata }: Pod): boolean => metadata.name === pod.metadata.name;
    if (type === 'create') {
      expect(this.pods.some(same)).toBe(false);
      const metadata = { ...pod.metadata, uid: String(++this.#uids) };
      this.pods.push({ ...pod, metadata, status: { phase: 'Pending' } });
    }
    const leave = (one: Pod): Pod =>
      same(one) ? { ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } : one;
    if (type === 'delete') this.pods = this.pods.map(leave);
  }

  /** The kubelet of one pod does its part: it goes, or becomes ready, or fails. */
  kubelet(index: number, fails: boolean): void {
    const pod = this.pods[index % Math.max(1, this.pods.length)];
    if (pod === undefined) return;
    const others = this.pods.filter((one) => one !== pod);
    const status: corev1.PodStatus = fails ? { phase: 'Failed' } : { phase: 'Running', conditions: READY };
    const next = { ...pod, status };
    this.pods = isLeaving(pod) ? others : [...others, next];
  }

  change(spec: Partial<appsv1.StatefulSetSpec>, revision: string): void {
    this.set = { ...this.set, spec: { ...this.set.spec, ...spec } };
    this.revision = revision;
  }

  move(move: Move): void {
    if (move === 'step') this.step();
    else if ('pod' in move) this.kubelet(move.pod, move.fails);
    else this.change({ replicas: move.replicas, ordinals: { start: move.start } }, move.revision);
  }

  settle(): void {
    for (let turn = 0; turn < 60; turn++) {
      this.step();
      for (const index of this.pods.keys()) this.kubelet(index, false);
    }
  }
}

type Move =
  | 'step'
  | { readonly pod: number; readonly fails: boolean }
  | { readonly replicas: number; readonly start: number; readonly revision: string };

const size = fc.integer({ min: 0, max: 5 });
const moves = fc.array<Move>(
  fc.oneof(
    fc.record({ pod: fc.nat(9), fails: fc.boolean() }),
    fc.record({
      replicas: size,
      start: fc.integer({ min: 0, max: 2 }),
      revision: fc.constantFrom('r1', 'r2', 'r3'),
    }),
    fc.constant('step' as const),
  ),
  { maxLength: 40 },
);

describe.each(['OrderedReady', 'Parallel'] as const)('a set that is %s', (policy) => {
  test('ends with its pods in their places, ready and updated, and then does nothing', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const story = new Play({ replicas: 3, podManagementPolicy: policy });
        for (const move of all) story.move(move);
        story.settle();
        const { replicas = 0, ordinals } = story.set.spec;
        const places = Array.from({ length: replicas }, (_, index) => (ordinals?.start ?? 0) + index);
        expect(story.pods.map(ordinalOf).sort((a, b) => a - b)).toEqual(places);
        expect(story.pods.every((pod) => isRunningAndReady(pod) && revisionOf(pod) === story.revision)).toBe(
          true,
        );
        expect(story.turns.at(-1)).toEqual([]);
        expect(story.set.status).toMatchObject({
          replicas,
          readyReplicas: replicas,
          updatedReplicas: replicas,
          currentRevision: story.revision,
        });
      }),
    );
  });
});

test('an ordered set makes or removes one pod at a time, and never one while another is on its way out', () => {
  fc.assert(
    fc.property(moves, (all) => {
      const story = new Play({ replicas: 3, podManagementPolicy: 'OrderedReady' });
      for (const move of all) {
        const leaving = story.pods.filter((pod) => isLeaving(pod));
        story.move(move);
        if (move !== 'step') continue;
        const last = story.turns.at(-1) ?? [];
        expect(last.length).toBeLessThanOrEqual(1);
        const made = last.find(({ type }) => type === 'create');
        // Only pods above it may still be on their way out.
        const isAbove = (pod: Pod): boolean => made === undefined || ordinalOf(pod) > ordinalOf(made.pod);
        expect(leaving.every((pod) => isAbove(pod) || !inRange(story, pod))).toBe(true);
      }
    }),
  );
});

test.each([
  ['OrderedReady', 1],
  ['Parallel', 500],
] as const)(
  'a set that is %s and asks for two billion pods gets %i at a time',
  (podManagementPolicy, most) => {
    const story = new Play({ replicas: 2_147_483_647, podManagementPolicy });
    story.step();
    story.step();
    const [first, second] = story.turns;
    expect(first?.map(({ pod }) => ordinalOf(pod))).toEqual(
      Array.from({ length: most }, (_, index) => index),
    );
    expect(second).toHaveLength(podManagementPolicy === 'Parallel' ? most : 0);
  },
);

test('a parallel set that is grown beyond what is made at once keeps the pods at the far end', () => {
  const story = new Play({ replicas: 1, podManagementPolicy: 'Parallel', ordinals: { start: 2000 } });
  story.settle();
  story.change({ replicas: 2001, ordinals: { start: 0 } }, 'r2');
  for (let turn = 0; turn < 3; turn++) {
    story.step();
    expect(story.turns.at(-1)?.every(({ type }) => type === 'create')).toBe(true);
  }
  expect(story.pods).toHaveLength(1501);
  expect(story.pods.some((pod) => ordinalOf(pod) === 2000 && !isLeaving(pod))).toBe(true);
});

function inRange({ set }: Play, pod: Pod): boolean {
  const start = set.spec.ordinals?.start ?? 0;
  const ordinal = ordinalOf(pod);
  return ordinal >= start && ordinal < start + (set.spec.replicas ?? 0);
}
