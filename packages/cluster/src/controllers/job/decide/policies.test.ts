import type { batchv1, corev1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { jobOf, pod, type Spec } from '../testing/job-cases.ts';
import { judgeFailure } from './judge-failure.ts';
import { formatIndexes, indexSet, parseIndexes } from './index-set.ts';
import { metSuccessRule } from './met-success-rule.ts';

const indexed = { completionMode: 'Indexed' } as const;
const rule = (action: string, code: number): object => ({
  action,
  onExitCodes: { operator: 'In', values: [code] },
});
const failurePolicy = (...rules: readonly object[]): Spec => ({ podFailurePolicy: { rules } }) as Spec;

describe('what a rule makes of a failure', () => {
  const when = (action: string, ...conditions: readonly [string, string][]): object => ({
    action,
    onPodConditions: conditions.map(([type, status]) => ({ type, status })),
  });
  const counts = { counts: true };
  test.each<[string, readonly object[], Stored<corev1.Pod>, object]>([
    ['no rule', [], pod('Failed', { exit: 2 }), counts],
    ['ignored by its exit code', [rule('Ignore', 2)], pod('Failed', { exit: 2 }), { counts: false }],
    ['counted by its exit code', [rule('Count', 2), rule('Ignore', 2)], pod('Failed', { exit: 2 }), counts],
    [
      'the first rule that matches decides',
      [rule('Ignore', 2), rule('FailJob', 2)],
      pod('Failed', { exit: 2 }),
      { counts: false },
    ],
    [
      'the second, where the first does not match',
      [rule('Ignore', 1), rule('FailIndex', 2)],
      pod('Failed', { exit: 2 }),
      { failsIndex: true },
    ],
    [
      'success matches no exit code',
      [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [5] } }],
      pod('Failed', { exit: 0 }),
      counts,
    ],
    [
      'another code matches NotIn',
      [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [5] } }],
      pod('Failed', { exit: 2 }),
      { counts: false },
    ],
    [
      'of another container',
      [{ action: 'Ignore', onExitCodes: { containerName: 'other', operator: 'In', values: [2] } }],
      pod('Failed', { exit: 2 }),
      counts,
    ],
    [
      'by a condition',
      [when('Ignore', ['DisruptionTarget', 'True'])],
      pod('Failed', { exit: 2, condition: 'DisruptionTarget' }),
      { counts: false },
    ],
    [
      'by one of several conditions',
      [when('FailIndex', ['Other', 'True'], ['DisruptionTarget', 'True'])],
      pod('Failed', { exit: 2, condition: 'DisruptionTarget' }),
      { failsIndex: true },
    ],
    [
      'by a condition that is false',
      [when('Ignore', ['DisruptionTarget', 'False'])],
      pod('Failed', { exit: 2, condition: 'DisruptionTarget' }),
      counts,
    ],
  ])('%s', (_title, rules, failed, expected) => {
    expect(judgeFailure(jobOf(failurePolicy(...rules)), failed)).toMatchObject(expected);
  });

  test('is reported with the container, its code and the rule', () => {
    const failed = pod('Failed', { exit: 2, condition: 'DisruptionTarget' });
    const { name } = failed.metadata;
    const text = (...rules: readonly object[]) =>
      judgeFailure(jobOf(failurePolicy(...rules)), failed).failsJob;
    expect(text(rule('Count', 9), rule('FailJob', 2))).toBe(
      `Container main for pod default/${name} failed with exit code 2 matching FailJob rule at index 1`,
    );
    expect(text(when('FailJob', ['DisruptionTarget', 'True']))).toBe(
      `Pod default/${name} has condition DisruptionTarget matching FailJob rule at index 0`,
    );
  });
});

describe('a rule of success', () => {
  test.each<[string, readonly batchv1.SuccessPolicyRule[], string, number | undefined]>([
    ['none', [], '0-9', undefined],
    ['an empty one', [{}], '0-9', undefined],
    ['nothing has succeeded', [{ succeededCount: 1 }], '', undefined],
    ['all indexes', [{ succeededIndexes: '0-2' }], '0-4', 0],
    ['exactly these', [{ succeededIndexes: '0-2' }], '0-2', 0],
    ['not all', [{ succeededIndexes: '0-2' }], '0,2', undefined],
    ['a number', [{ succeededCount: 2 }], '0,4', 0],
    ['a smaller number', [{ succeededCount: 3 }], '0,4', undefined],
    ['a number of some', [{ succeededIndexes: '0-4', succeededCount: 2 }], '3-6', 0],
    ['too few of some', [{ succeededIndexes: '0-4', succeededCount: 3 }], '3-6', undefined],
    ['overlaps in several places', [{ succeededIndexes: '0-1,4-5,8', succeededCount: 4 }], '1-4,5,8-9', 0],
    ['no index', [{ succeededIndexes: '' }], '0-4', undefined],
    ['no numbers', [{ succeededIndexes: 'invalid' }], '0-4', undefined],
    ['the second', [{ succeededIndexes: '9' }, { succeededCount: 1 }], '0', 1],
    ['the first of two that are met', [{ succeededCount: 2 }, { succeededCount: 1 }], '0,1', 0],
  ])('%s', (_title, rules, succeeded, met) => {
    const job = jobOf({ ...indexed, completions: 10, successPolicy: { rules } });
    const expected = met === undefined ? undefined : `Matched rules at index ${met}`;
    expect(metSuccessRule(job, parseIndexes(succeeded, 10))).toBe(expected);
  });
});

describe('indexes', () => {
  test.each([
    [[], ''],
    [[0], '0'],
    [[1, 0], '0,1'],
    [[4, 2, 3], '2-4'],
    [[9, 0, 1, 1, 5, 6, 7], '0,1,5-7,9'],
  ])('%j are written as %s', (indexes, text) => {
    expect(formatIndexes(indexSet(indexes))).toBe(text);
    expect(parseIndexes(text, 10)).toEqual(indexSet(indexes));
  });

  test.each([
    ['0-9', 5, '0-4'],
    ['3,7', 5, '3'],
    ['7-9', 5, ''],
    ['a,1-b,2', 5, '2'],
  ])('%s of %i are %s', (text, completions, expected) => {
    expect(formatIndexes(parseIndexes(text, completions))).toBe(expected);
  });
});
