import type { autoscalingv2 } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { EMPTY, type Memory } from './memory.ts';
import { type Bounds, normalize } from './normalize.ts';

const NOW = Date.UTC(2026, 0, 1);
const ago = (seconds: number): number => NOW - seconds * 1000;

type Policy = readonly [type: 'Pods' | 'Percent', value: number, periodSeconds?: number];
type Rules = autoscalingv2.HPAScalingRules;
const rules = (
  policies: readonly Policy[],
  selectPolicy: 'Max' | 'Min' | 'Disabled' = 'Max',
  stabilizationWindowSeconds = 0,
): Rules => ({
  selectPolicy,
  stabilizationWindowSeconds,
  policies: policies.map(([type, value, periodSeconds = 60]) => ({ type, value, periodSeconds })),
});
/** What the API server fills in. */
const UP = rules([
  ['Pods', 4, 15],
  ['Percent', 100, 15],
]);
const DOWN = rules([['Percent', 100, 15]], 'Max', 300);
const up = (...policies: readonly Policy[]): Partial<Bounds> => ({
  behavior: { scaleUp: rules(policies), scaleDown: DOWN },
});
const down = (...policies: readonly Policy[]): Partial<Bounds> => ({
  behavior: { scaleUp: UP, scaleDown: rules(policies) },
});
const remembered = (fields: Partial<Memory>): Partial<Bounds> => ({ memory: { ...EMPTY, ...fields } });
const recommended = (...all: readonly (readonly [replicas: number, seconds: number])[]): Partial<Bounds> =>
  remembered({ recommendations: all.map(([replicas, seconds]) => ({ replicas, at: ago(seconds) })) });
const event = (change: number, seconds: number) => ({ change, at: ago(seconds) });

type Case = readonly [
  title: string,
  current: number,
  desired: number,
  fields: Partial<Bounds>,
  expected: readonly [number, string],
];
function limitedTo(
  current: number,
  desired: number,
  fields: Partial<Bounds>,
): readonly [number, string, string] {
  const bounds = {
    memory: EMPTY,
    current,
    min: 1,
    max: 1000,
    now: NOW,
    stabilizationMs: 300_000,
    behavior: undefined,
  };
  const { replicas, able, limited } = normalize(desired, { ...bounds, ...fields });
  expect(limited.status).toBe(limited.reason !== 'DesiredWithinRange');
  return [replicas, limited.reason, able.reason];
}

describe('a recommendation is held within', () => {
  test.each<Case>([
    ['nothing', 5, 7, { min: 3, max: 8 }, [7, 'DesiredWithinRange']],
    ['the least', 3, 1, { min: 2, max: 8 }, [2, 'TooFewReplicas']],
    ['the most', 20, 1000, { max: 10 }, [10, 'TooManyReplicas']],
    ['the most, above the least', 100, 1000, { min: 100, max: 150 }, [150, 'TooManyReplicas']],
    ['twice as many', 10, 50, {}, [20, 'ScaleUpLimit']],
    ['four, where there is one', 1, 50, {}, [4, 'ScaleUpLimit']],
    ['no rate on the way down', 1000, 3, {}, [3, 'DesiredWithinRange']],
    [
      'the rules that are filled in',
      10,
      50,
      { behavior: { scaleUp: UP, scaleDown: DOWN } },
      [20, 'ScaleUpLimit'],
    ],
    ['one more at a time', 3, 1000, up(['Pods', 1]), [4, 'ScaleUpLimit']],
    ['the larger of two policies: pods', 10, 500, up(['Pods', 100], ['Percent', 100]), [110, 'ScaleUpLimit']],
    ['the larger of two policies: percent', 10, 500, up(['Pods', 2], ['Percent', 100]), [20, 'ScaleUpLimit']],
    ['nothing, where the policy is large', 10, 50, up(['Percent', 10_000]), [50, 'DesiredWithinRange']],
    ['what the policy adds, rounded up', 3, 50, up(['Percent', 10]), [4, 'ScaleUpLimit']],
    ['the most, before what the policy adds', 10, 5000, up(['Percent', 100_000]), [1000, 'TooManyReplicas']],
    ['what a policy takes: pods', 10, 2, down(['Pods', 5]), [5, 'ScaleDownLimit']],
    ['what a policy takes: percent, rounded down', 9, 2, down(['Percent', 50]), [4, 'ScaleDownLimit']],
    ['the larger that is taken: percent', 100, 2, down(['Pods', 2], ['Percent', 20]), [80, 'ScaleDownLimit']],
    ['the larger that is taken: pods', 100, 2, down(['Pods', 20], ['Percent', 2]), [80, 'ScaleDownLimit']],
    [
      'the least, before what a policy takes',
      10,
      2,
      { ...down(['Percent', 100]), min: 5 },
      [5, 'TooFewReplicas'],
    ],
    [
      'the smaller that is added',
      10,
      500,
      {
        behavior: {
          scaleUp: rules(
            [
              ['Pods', 100],
              ['Percent', 30],
            ],
            'Min',
          ),
          scaleDown: DOWN,
        },
      },
      [13, 'ScaleUpLimit'],
    ],
    [
      'the smaller that is taken',
      100,
      2,
      {
        behavior: {
          scaleUp: UP,
          scaleDown: rules(
            [
              ['Pods', 2],
              ['Percent', 20],
            ],
            'Min',
          ),
        },
      },
      [98, 'ScaleDownLimit'],
    ],
    [
      'what there is, where more is not allowed',
      10,
      50,
      { behavior: { scaleUp: rules([['Pods', 100]], 'Disabled'), scaleDown: DOWN } },
      [10, 'ScaleUpLimit'],
    ],
    [
      'what there is, where less is not allowed',
      10,
      2,
      { behavior: { scaleUp: UP, scaleDown: rules([['Pods', 100]], 'Disabled') } },
      [10, 'ScaleDownLimit'],
    ],
    [
      'what is left of the period',
      10,
      50,
      { ...up(['Pods', 10]), ...remembered({ ups: [event(4, 30), event(100, 61)] }) },
      [16, 'ScaleUpLimit'],
    ],
    [
      'what there is, when more than allowed came in the period',
      10,
      50,
      { ...up(['Pods', 2]), ...remembered({ ups: [event(6, 30)] }) },
      [10, 'ScaleUpLimit'],
    ],
    [
      'more, when some went in the period',
      10,
      50,
      { ...up(['Pods', 2]), ...remembered({ downs: [event(6, 30)] }) },
      [18, 'ScaleUpLimit'],
    ],
    [
      'what is left of the period on the way down',
      10,
      1,
      { ...down(['Pods', 6]), ...remembered({ downs: [event(2, 30), event(100, 61)] }) },
      [6, 'ScaleDownLimit'],
    ],
  ])('%s', (_title, current, desired, fields, expected) => {
    const [replicas, reason] = limitedTo(current, desired, fields);
    expect([replicas, reason]).toEqual(expected);
  });
});

describe('a recommendation is smoothed', () => {
  const calm = (upSeconds: number, downSeconds: number): Partial<Bounds> => ({
    behavior: {
      scaleUp: rules([['Percent', 10_000]], 'Max', upSeconds),
      scaleDown: rules([['Percent', 100]], 'Max', downSeconds),
    },
  });
  test.each<Case>([
    ['not at first', 10, 5, {}, [5, 'ReadyForNewScale']],
    ['by the highest of five minutes', 10, 5, recommended([8, 299], [9, 301]), [8, 'ScaleDownStabilized']],
    ['not where it is the highest', 10, 12, recommended([8, 10]), [12, 'ReadyForNewScale']],
    [
      'down by the highest of its window',
      10,
      2,
      { ...calm(0, 60), ...recommended([7, 59], [9, 61]) },
      [7, 'ScaleDownStabilized'],
    ],
    [
      'down no further than it is',
      10,
      2,
      { ...calm(0, 60), ...recommended([70, 30]) },
      [10, 'ScaleDownStabilized'],
    ],
    [
      'up by the lowest of its window',
      10,
      20,
      { ...calm(60, 0), ...recommended([14, 59], [11, 61]) },
      [14, 'ScaleUpStabilized'],
    ],
    [
      'up no further than it is',
      10,
      20,
      { ...calm(60, 0), ...recommended([3, 30]) },
      [10, 'ScaleUpStabilized'],
    ],
    ['not without windows', 10, 2, { ...calm(0, 0), ...recommended([50, 1]) }, [2, 'ReadyForNewScale']],
  ])('%s', (_title, current, desired, fields, expected) => {
    const [replicas, , able] = limitedTo(current, desired, fields);
    expect([replicas, able]).toEqual(expected);
  });
});
