import type { batchv1, corev1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { jobOf, many, NOW, pod, type Spec } from '../testing/job-cases.ts';
import { assess } from './assess.ts';

type Pods = readonly Stored<corev1.Pod>[];
const indexed = { completionMode: 'Indexed' } as const;
const perIndex = { ...indexed, backoffLimitPerIndex: 1, completions: 3 } as const;
const onFailure = (spec: Spec): Spec => ({
  ...spec,
  template: { spec: { containers: [], restartPolicy: 'OnFailure' } },
});
const rule = (action: string, code: number): object => ({
  action,
  onExitCodes: { operator: 'In', values: [code] },
});
const failurePolicy = (...rules: readonly object[]): Spec => ({ podFailurePolicy: { rules } }) as Spec;
const FAILED = 'FailureTarget';
const DONE = 'SuccessCriteriaMet';

describe('a Job', () => {
  test.each<[string, Spec, batchv1.JobStatus, Pods, string | undefined]>([
    ['goes on while pods run', {}, { succeeded: 5 }, [pod('Running')], undefined],
    ['is complete with as many as it wants', {}, { succeeded: 5 }, [], `${DONE} CompletionsReached`],
    [
      'counts what is not in the status yet',
      {},
      { succeeded: 3 },
      many(2, 'Succeeded', { exit: 0 }),
      `${DONE} CompletionsReached`,
    ],
    [
      'does not count what is free already',
      {},
      { succeeded: 3 },
      many(2, 'Succeeded', { exit: 0, free: true }),
      undefined,
    ],
    [
      'fails with more failures than it may',
      { backoffLimit: 1 },
      { failed: 1 },
      [pod('Failed')],
      `${FAILED} BackoffLimitExceeded`,
    ],
    [
      'goes on with as many failures as it may',
      { backoffLimit: 2 },
      { failed: 1 },
      [pod('Failed')],
      undefined,
    ],
    [
      'fails with the first, where none may',
      { backoffLimit: 0 },
      {},
      [pod('Failed')],
      `${FAILED} BackoffLimitExceeded`,
    ],
    [
      'takes pods that are ending for failed',
      { backoffLimit: 0 },
      {},
      [pod('Running', { deleted: true })],
      `${FAILED} BackoffLimitExceeded`,
    ],
    [
      'does not, where only failed pods are replaced',
      { backoffLimit: 0, podReplacementPolicy: 'Failed' },
      {},
      [pod('Running', { deleted: true })],
      undefined,
    ],
    [
      'counts restarts in place of failures',
      onFailure({ backoffLimit: 2 }),
      {},
      many(2, 'Running', { restarts: 1 }),
      `${FAILED} BackoffLimitExceeded`,
    ],
    [
      'counts restarts of pending pods too',
      onFailure({ backoffLimit: 1 }),
      {},
      [pod('Pending', { restarts: 1 })],
      `${FAILED} BackoffLimitExceeded`,
    ],
    [
      'goes on with fewer restarts',
      onFailure({ backoffLimit: 3 }),
      {},
      many(2, 'Running', { restarts: 1 }),
      undefined,
    ],
    [
      'without restarts goes on, where none may be',
      onFailure({ backoffLimit: 0 }),
      {},
      [pod('Running')],
      undefined,
    ],
    [
      'does not count restarts where pods are never restarted',
      { backoffLimit: 0 },
      {},
      [pod('Running', { restarts: 9 })],
      undefined,
    ],
    [
      'fails after its time',
      { activeDeadlineSeconds: 100 },
      {},
      many(2, 'Running'),
      `${FAILED} DeadlineExceeded`,
    ],
    ['goes on within its time', { activeDeadlineSeconds: 101 }, {}, many(2, 'Running'), undefined],
    ['has all time while it is suspended', { activeDeadlineSeconds: 1, suspend: true }, {}, [], undefined],
    [
      'names its failures before its time',
      { activeDeadlineSeconds: 1, backoffLimit: 0 },
      {},
      [pod('Failed')],
      `${FAILED} BackoffLimitExceeded`,
    ],
    [
      'keeps to a recorded failure',
      {},
      { succeeded: 5, conditions: [{ type: FAILED, status: 'True', reason: 'Recorded' }] },
      [],
      `${FAILED} Recorded`,
    ],
    [
      'keeps to a recorded success',
      { backoffLimit: 0 },
      { conditions: [{ type: DONE, status: 'True', reason: 'Recorded' }] },
      [pod('Failed')],
      `${DONE} Recorded`,
    ],
    [
      'ignores a condition that is False',
      {},
      { conditions: [{ type: FAILED, status: 'False', reason: 'Recorded' }] },
      [],
      undefined,
    ],
    [
      'fails by a rule',
      failurePolicy(rule('FailJob', 5)),
      {},
      [pod('Failed', { exit: 5 })],
      `${FAILED} PodFailurePolicy`,
    ],
    [
      'fails by a rule before its limit',
      { ...failurePolicy(rule('FailJob', 5)), backoffLimit: 0 },
      {},
      [pod('Failed', { exit: 5 })],
      `${FAILED} PodFailurePolicy`,
    ],
    [
      'does not fail by a rule for what runs',
      failurePolicy(rule('FailJob', 5)),
      {},
      [pod('Running', { exit: 5 })],
      undefined,
    ],
    [
      'does not count what a rule ignores',
      { ...failurePolicy(rule('Ignore', 5)), backoffLimit: 0 },
      {},
      [pod('Failed', { exit: 5 })],
      undefined,
    ],
    [
      'counts what no rule is about',
      { ...failurePolicy(rule('Ignore', 5)), backoffLimit: 0 },
      {},
      [pod('Failed', { exit: 6 })],
      `${FAILED} BackoffLimitExceeded`,
    ],
    [
      'of indexes counts each once',
      { ...indexed, completions: 2 },
      {},
      many(2, 'Succeeded', { exit: 0, index: 0 }),
      undefined,
    ],
    [
      'of indexes is complete with all',
      { ...indexed, completions: 2 },
      { completedIndexes: '0' },
      [pod('Succeeded', { exit: 0, index: 1 })],
      `${DONE} CompletionsReached`,
    ],
    [
      'of indexes does not count others',
      { ...indexed, completions: 2 },
      { completedIndexes: '0,7' },
      [pod('Succeeded', { exit: 0, index: 2 })],
      undefined,
    ],
    [
      'with a limit per index goes on while others may succeed',
      perIndex,
      {},
      [pod('Failed', { index: 0, failures: 1 })],
      undefined,
    ],
    [
      'with a limit per index has not failed one that may fail once more',
      perIndex,
      { completedIndexes: '1,2' },
      [pod('Failed', { index: 0, failures: 0 })],
      undefined,
    ],
    [
      'with a limit per index fails when the others are over',
      perIndex,
      { completedIndexes: '1,2' },
      [pod('Failed', { index: 0, failures: 1 })],
      `${FAILED} FailedIndexes`,
    ],
    [
      'fails with more failed indexes than it may',
      { ...perIndex, maxFailedIndexes: 1 },
      { failedIndexes: '0,1' },
      [],
      `${FAILED} MaxFailedIndexesExceeded`,
    ],
    [
      'fails with its limit before that of indexes',
      { ...perIndex, backoffLimit: 0 },
      {},
      [pod('Failed', { index: 0, failures: 0 })],
      `${FAILED} BackoffLimitExceeded`,
    ],
    [
      'fails an index by a rule',
      { ...perIndex, ...failurePolicy(rule('FailIndex', 5)), completions: 1 },
      {},
      [pod('Failed', { index: 0, failures: 0, exit: 5 })],
      `${FAILED} FailedIndexes`,
    ],
    [
      'succeeds by a rule',
      { ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } },
      {},
      [pod('Succeeded', { exit: 0, index: 3 }), pod('Running', { index: 0 })],
      `${DONE} SuccessPolicy`,
    ],
    [
      'fails before it succeeds by a rule',
      { ...indexed, backoffLimit: 0, successPolicy: { rules: [{ succeededCount: 1 }] } },
      {},
      [pod('Succeeded', { exit: 0, index: 3 }), pod('Failed', { index: 0 })],
      `${FAILED} BackoffLimitExceeded`,
    ],
  ])('%s', (_title, spec, status, pods, expected) => {
    const { ending } = assess(jobOf(spec, status), pods, NOW);
    expect(ending === undefined ? undefined : `${ending.type} ${ending.reason}`).toBe(expected);
  });

  test('without a number of completions is complete with one success, when all have ended', () => {
    const { completions: _none, ...spec } = jobOf({}).spec;
    const job = { ...jobOf({}), spec };
    const ended = [pod('Succeeded', { exit: 0 }), pod('Failed')];
    expect(assess(job, ended, NOW).ending).toMatchObject({ reason: 'CompletionsReached' });
    expect(assess(job, [...ended, pod('Running')], NOW).ending).toBeUndefined();
    expect(assess(job, [], NOW).ending).toBeUndefined();
  });
});
