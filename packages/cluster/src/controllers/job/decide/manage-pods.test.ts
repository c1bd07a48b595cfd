import type { batchv1, corev1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { jobOf, many, NOW, pod, type Spec } from '../testing/job-cases.ts';
import { assess } from './assess.ts';
import { noteFailures, NO_FAILURES } from './remaining-back-off.ts';
import { completionIndex } from './job-pods.ts';
import { managePods } from './manage-pods.ts';

const indexed = { completionMode: 'Indexed' } as const;

type Managed = {
  readonly creates?: number | readonly number[];
  readonly deletes?: number;
  /** Seconds. */
  readonly waits?: number;
};

function managed(job: Stored<batchv1.Job>, pods: readonly Stored<corev1.Pod>[]): Managed {
  const failures = noteFailures(NO_FAILURES, job, pods);
  const { step, wait } = managePods(assess(job, pods, NOW), failures, NOW);
  const waits = wait === undefined ? {} : { waits: wait / 1000 };
  if (step === undefined) return waits;
  if (step.type === 'delete') return { deletes: step.pods.length };
  const indexes = step.pods.map(completionIndex).filter((index) => index !== undefined);
  return { creates: indexes.length === 0 ? step.pods.length : indexes };
}

describe('the pods of a Job', () => {
  const wq: Spec = { completions: undefined };
  test.each<[string, Spec, batchv1.JobStatus, readonly Stored<corev1.Pod>[], Managed]>([
    ['begin', {}, {}, [], { creates: 2 }],
    ['begin, without a number of completions', wq, {}, [], { creates: 2 }],
    ['are waited for', {}, {}, many(2, 'Pending'), {}],
    ['are completed', {}, {}, many(1, 'Running'), { creates: 1 }],
    ['wait after a failure', {}, {}, [pod('Running'), pod('Failed', { ended: 4 })], { waits: 6 }],
    ['wait twice as long after two', {}, {}, many(2, 'Failed', { ended: 4 }), { waits: 16 }],
    ['come when the wait is over', {}, {}, [pod('Running'), pod('Failed', { ended: 10 })], { creates: 1 }],
    [
      'come at once after a success since the failure',
      {},
      {},
      [pod('Failed', { ended: 5 }), pod('Succeeded', { exit: 0, ended: 2 })],
      { creates: 2 },
    ],
    [
      'wait for the wait of what failed after the success',
      {},
      {},
      [pod('Failed', { ended: 2 }), pod('Succeeded', { exit: 0, ended: 5 })],
      { waits: 8 },
    ],
    ['are no more than are lacking', {}, { succeeded: 4 }, [], { creates: 1 }],
    ['go where there are too many', {}, {}, many(3, 'Running'), { deletes: 1 }],
    ['go where fewer are lacking', {}, { succeeded: 4 }, many(2, 'Running'), { deletes: 1 }],
    ['go all, of a parallelism of none', { parallelism: 0 }, {}, many(2, 'Running'), { deletes: 2 }],
    ['are at most 500 at once', { parallelism: 900, completions: 1000 }, {}, [], { creates: 500 }],
    ['go when the Job is suspended', { suspend: true }, {}, many(2, 'Running'), { deletes: 2 }],
    ['do not come to a suspended one', { suspend: true }, {}, [], {}],
    ['are let run after one success where none was counted', wq, { succeeded: 1 }, many(2, 'Running'), {}],
    ['do not come after one success where none was counted', wq, { succeeded: 1 }, many(1, 'Running'), {}],
    ['that are ending are replaced at once', {}, {}, many(2, 'Running', { deleted: true }), { creates: 2 }],
    [
      'that are ending are not, where only failed ones are replaced',
      { podReplacementPolicy: 'Failed' },
      {},
      many(2, 'Running', { deleted: true }),
      {},
    ],
    [
      'that are ending are not, with a policy for failures',
      { podFailurePolicy: { rules: [] } },
      {},
      [pod('Running'), pod('Running', { deleted: true })],
      {},
    ],
    ['of indexes begin with the first', indexed, {}, [], { creates: [0, 1] }],
    [
      'of indexes fill gaps',
      indexed,
      { completedIndexes: '0,2' },
      [pod('Running', { index: 1 })],
      { creates: [3] },
    ],
    [
      'of indexes that are ending leave theirs free',
      { ...indexed, backoffLimitPerIndex: 3 },
      {},
      [pod('Running', { index: 0, deleted: true, ended: 99 }), pod('Running', { index: 1 })],
      { creates: [0] },
    ],
    [
      'of indexes that are ending hold theirs, where only failed ones are replaced',
      { ...indexed, podReplacementPolicy: 'Failed' },
      {},
      [pod('Running', { index: 0, deleted: true }), pod('Running', { index: 1 })],
      {},
    ],
    ['without an index go', indexed, {}, [pod('Running'), pod('Running', { index: 0 })], { deletes: 1 }],
    [
      'beyond the indexes go',
      indexed,
      {},
      [pod('Running', { index: 5 }), pod('Running', { index: 0 })],
      { deletes: 1 },
    ],
    ['of the same index go but one', indexed, {}, many(2, 'Running', { index: 0 }), { deletes: 1 }],
    [
      'of an index wait by its own failures',
      { ...indexed, backoffLimitPerIndex: 3, parallelism: 1, completions: 1 },
      {},
      [pod('Failed', { index: 0, failures: 1, ended: 4 })],
      { waits: 16 },
    ],
    [
      'of an index wait by ignored failures, too',
      { ...indexed, backoffLimitPerIndex: 3, parallelism: 1, completions: 1 },
      {},
      [pod('Failed', { index: 0, failures: 1, ignored: 1, ended: 4 })],
      { waits: 36 },
    ],
    [
      'of other indexes do not wait',
      { ...indexed, backoffLimitPerIndex: 3 },
      {},
      [pod('Failed', { index: 0, failures: 0, ended: 4 })],
      { creates: [1] },
    ],
    [
      'of an index that has failed for good do not come again',
      { ...indexed, backoffLimitPerIndex: 0 },
      { failedIndexes: '0' },
      [],
      { creates: [1, 2] },
    ],
    [
      'go when the Job has failed',
      {},
      { conditions: [{ type: 'FailureTarget', status: 'True' }] },
      many(2, 'Running'),
      { deletes: 2 },
    ],
    [
      'stay when somebody only wrote that it has not',
      {},
      { conditions: [{ type: 'FailureTarget', status: 'False' }] },
      many(2, 'Running'),
      {},
    ],
    [
      'go when the Job has succeeded',
      {},
      { conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] },
      many(1, 'Running'),
      { deletes: 1 },
    ],
  ])('%s', (_title, spec, status, pods, expected) => {
    expect(managed(jobOf(spec, status), pods)).toEqual(expected);
  });

  test('that have come least far go first', () => {
    const pods = [
      pod('Running', { on: 'n', ready: true }),
      pod('Running', { on: 'n' }),
      pod('Pending', { on: 'n' }),
      pod('Pending'),
    ];
    const names = pods.map(({ metadata }) => metadata.name);
    const order = [1, 2, 3].map((parallelism) => {
      const { step } = managePods(assess(jobOf({ parallelism }), pods, NOW), NO_FAILURES, NOW);
      return step?.pods.map(({ metadata: { name = '' } }) => names.indexOf(name));
    });
    expect(order).toEqual([[3, 2, 1], [3, 2], [3]]);
  });
});
