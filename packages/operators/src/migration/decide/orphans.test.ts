import { controllerOf, defined } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { isLong, seed } from '../../../../../test/support/seeds.ts';
import { EPOCH_ANNOTATION, type MigrationStatus } from '../api.ts';
import { shadowPod } from '../pods/shadow-pod.ts';
import {
  ALL_WELL,
  brokerWith,
  decidedAt,
  marked,
  MIGRATION_UID,
  migrationOf,
  NEW,
  podOf,
  reportFrom,
  setOf,
  SHADOW,
  SOURCE,
} from '../testing/migration-bench.ts';
import type { LivePod, MigrationAction, ObservedMigration } from './observed-migration.ts';
import { isStepName, STEP_NAMES, type StepName } from './step-name.ts';
import { stepOf } from './step-of.ts';

// A StatefulSet adopts a pod that nobody controls and that has a name of its own, and deletes it where it wants fewer pods, or did
// so when it looked last. So there must never be one: whatever is observed, at whichever step, in whichever order.

/** The name of a pod of the set. */
const MEMBER = /^consumer-\d+$/;

const restored = { labels: marked('restored'), annotations: { [EPOCH_ANNOTATION]: '2' } };
const OF_MIGRATION = { kind: 'StatefulMigration', uid: MIGRATION_UID };

const NAMED: readonly (LivePod | undefined)[] = [
  undefined,
  podOf({ labels: marked('source') }),
  podOf({ labels: marked('source'), ending: true }),
  podOf({ uid: NEW }),
  podOf({ uid: NEW, ...restored }),
];
const shadowWith = (facts: Parameters<typeof podOf>[0]) =>
  podOf({ uid: SHADOW, name: 'consumer-0-shadow', labels: marked('shadow'), ...facts });
const SHADOWS: readonly (LivePod | undefined)[] = [
  undefined,
  shadowWith({ owner: OF_MIGRATION }),
  shadowWith({ owner: OF_MIGRATION, ending: true }),
  shadowWith({ owner: 'nobody' }),
];

const BEFORE_TARGET: ReadonlySet<string> = new Set(
  STEP_NAMES.slice(0, STEP_NAMES.indexOf('ReplaceSource') + 1),
);

function statusOf(step: string, epoch: number, more: Partial<MigrationStatus>): MigrationStatus {
  const source = { pod: 'consumer-0', uid: SOURCE };
  const shadow = { pod: 'consumer-0-shadow', uid: SHADOW };
  const next = { pod: 'consumer-0', uid: NEW };
  const [from, found] = epoch === 1 ? [source, shadow] : [shadow, next];
  // Until its pod is there, it has no uid.
  const to = BEFORE_TARGET.has(step) ? { pod: found.pod } : found;
  const handover = { epoch, from, to, mirror: 'orders-0.mig', committed: false };
  return { handedOver: epoch > 1, step, sourcePodUID: SOURCE, targetPod: shadow.pod, handover, ...more };
}

/** The steps that follow each other, in either handover; a failure leads to the last two. */
function stepsOf(owner: Partial<MigrationStatus>): ReadonlySet<StepName> {
  const found = new Set<StepName>();
  const open: StepName[] = ['Preflight', 'ResumeShadow', 'UndoSource'];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (found.has(step)) continue;
    found.add(step);
    const { next } = stepOf(step);
    const after = [1, 2].map((epoch) =>
      typeof next === 'function' ? next(statusOf('', epoch, owner)) : next,
    );
    open.push(...after.filter((one) => isStepName(one)));
  }
  return found;
}

/** What may be different at one step. */
const FACTS = {
  epoch: [1, 2],
  handedOver: [false, true],
  named: NAMED,
  shadow: SHADOWS,
  replicas: [0, 1],
  mode: ['running', 'paused'],
  abort: [false, true],
} as const;

type Facts = { readonly [K in keyof typeof FACTS]: (typeof FACTS)[K][number] };

/** Every combination of them, or a third, with each value of a fact beside each of another one: others for another seed. */
const COMBINATIONS = Object.entries(FACTS)
  .reduce<readonly object[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )
  .filter((_facts, index) => isLong || index % 3 === seed % 3) as readonly Facts[];

/** A pod of a StatefulSet, or of nobody. */
function observationOf(step: StepName, owner: Partial<MigrationStatus>, facts: Facts): ObservedMigration {
  const { epoch, handedOver, named, shadow, replicas, mode, abort } = facts;
  const reports = [SOURCE, SHADOW, NEW].map((uid) => reportFrom(uid, { mode, digest: 'd' }));
  const { named: _source, ...rest } = ALL_WELL;
  return {
    ...rest,
    migration: migrationOf({ abort }, statusOf(step, epoch, { handedOver, ...owner })),
    set: setOf({ replicas }),
    broker: brokerWith(...reports),
    ...defined({ named, shadow }),
  };
}

type Found = { readonly observed: ObservedMigration; readonly action: MigrationAction };

function actionsOf(owner: Partial<MigrationStatus>): readonly Found[] {
  return [...stepsOf(owner)].flatMap((step) =>
    COMBINATIONS.flatMap((facts) => {
      const observed = observationOf(step, owner, facts);
      const { action } = decidedAt(5, observed).decision;
      return action === undefined ? [] : [{ observed, action }];
    }),
  );
}

/** Whether the action makes, or leaves, a pod that a StatefulSet could adopt. */
function makesOrphan({ action }: Found): boolean {
  if (action.type === 'release' || action.type === 'createSuccessor') return true;
  if (action.type !== 'createShadow') return false;
  const { migration, source } = action;
  const made = shadowPod(source, migration, migration.status?.targetPod ?? '');
  return controllerOf(made) === undefined || MEMBER.test(made.metadata.name ?? '');
}

describe('whatever is observed, at whichever step', () => {
  const ways: readonly Partial<MigrationStatus>[] = [{}, { sourceLost: true }, { strategy: 'Sequential' }];
  const ofSet = ways.flatMap((way) => actionsOf({ statefulSetUID: 'set-uid', ...way }));

  test('MIG-50 no pod of a StatefulSet is ever without a controller, and none is created under a name of the set', () => {
    expect(new Set(ofSet.map(({ action }) => action.type))).toContain('createShadow');
    expect(ofSet.filter(makesOrphan).map(({ action }) => action.type)).toEqual([]);
    // Where the shadow stays, it is released: the search would find it.
    expect(actionsOf({}).some(makesOrphan)).toBe(true);
    expect(actionsOf({ strategy: 'Sequential' }).map(({ action }) => action.type)).toContain('keepTemplate');
  });

  test('MIG-50 MIG-56 while the StatefulSet wants fewer pods, none is created', () => {
    const scaledDown = ofSet.filter(({ observed }) => observed.set?.spec.replicas === 0);
    expect(scaledDown.filter(({ action }) => action.type === 'createShadow')).toEqual([]);
    expect(scaledDown).not.toEqual([]);
  });
});
