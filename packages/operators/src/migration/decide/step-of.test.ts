import { expect, test } from 'vitest';
import type { MigrationStatus } from '../api.ts';
import { ofStatus } from './of-status.ts';
import { isStepName, STEP_NAMES, type StepName } from './step-name.ts';
import { stepOf } from './step-of.ts';

const OF_SET = { statefulSetUID: 'set-uid' };
const CUT = { watermarks: {}, digest: 'd', time: '2026-01-01T00:00:00Z' };

/** From the first step to the end of a first handover. */
function stepsOf(way: Partial<MigrationStatus>, handover: object = {}): readonly StepName[] {
  const pods = {
    from: { pod: 'consumer-0', uid: 'source' },
    to: { pod: 'consumer-0-shadow', uid: 'shadow' },
  };
  const first = { epoch: 1, mirror: 'orders-0.mig', committed: false, ...pods, ...handover };
  const status: MigrationStatus = { handedOver: false, handover: first, ...way };
  const steps: StepName[] = ['Preflight'];
  for (;;) {
    const next = ofStatus(stepOf(steps.at(-1) ?? 'Preflight').next, status);
    if (!isStepName(next) || next === 'NextHandover') return steps;
    steps.push(next);
  }
}

test.each<readonly [string, readonly StepName[]]>([
  ['a small state', stepsOf(OF_SET, { cut: CUT })],
  ['a large state', stepsOf(OF_SET)],
  ['a pod that stays', stepsOf({})],
])('the steps of a handover of %s are listed in the order in which it goes through them', (_what, steps) => {
  expect(steps.length).toBeGreaterThan(6);
  expect(steps).toEqual(STEP_NAMES.filter((step) => steps.includes(step)));
});
