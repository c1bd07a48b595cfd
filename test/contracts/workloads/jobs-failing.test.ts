import type { corev1, Transport } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { conditionsOf, JobStory } from './job-story.ts';

const FAILURES = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** A Job's end is told by two conditions with the same words. */
const failedBy = (reason: string, message: string): unknown => [
  ['FailureTarget', 'True', reason, message],
  ['Failed', 'True', reason, message],
];

function failingJobs(transport: () => Transport): void {
  let story: JobStory;
  beforeEach(async () => {
    story = await JobStory.begin(transport());
  });
  const nameOf = (pod: corev1.Pod | undefined): string => pod?.metadata.name ?? 'none';

  test('a pod that fails is replaced as often as the limit says, and counted once', async () => {
    await story.run({ backoffLimit: 1 });
    const [first] = await story.active(1);
    await story.end(first, { phase: 'Failed' });
    const retried = await story.job(({ status }) => status?.failed === 1 && status.active === 1);
    expect(retried.status).toMatchObject({ active: 1, failed: 1, uncountedTerminatedPods: {} });
    expect(retried.status?.conditions).toBeUndefined();
    const [second] = await story.active(1);
    expect(nameOf(second)).not.toBe(nameOf(first));
    await story.end(second, { phase: 'Succeeded' });
    const { status } = await story.finished();
    expect(status).toMatchObject({ failed: 1, succeeded: 1 });
  });

  test('a pod that somebody deletes counts as failed', async () => {
    await story.run();
    const [first] = await story.active(1);
    await story.remove(first);
    const counted = await story.job(({ status }) => status?.failed === 1 && status.terminating === 0);
    expect(counted.status?.uncountedTerminatedPods).toEqual({});
    expect((await story.pods()).map(nameOf)).not.toContain(nameOf(first));
  });

  test('restarts of containers are failures where pods restart them', async () => {
    await story.run({ backoffLimit: 2 }, { restartPolicy: 'OnFailure' });
    const [pod] = await story.active(1);
    const container = { name: 'main', image: 'work:1', imageID: '', ready: false, restartCount: 2 };
    await story.setStatus(pod, { phase: 'Running', containerStatuses: [container] });
    const failed = await story.finished();
    expect(conditionsOf(failed)).toEqual(
      failedBy('BackoffLimitExceeded', 'Job has reached the specified backoff limit'),
    );
    expect(failed.status).toMatchObject({ failed: 1, ready: 0, terminating: 0 });
    expect(await story.pods()).toEqual([]);
  });

  test('a Job that takes longer than it may fails', async () => {
    await story.run({ activeDeadlineSeconds: 1, backoffLimit: 0 });
    await story.active(1);
    const failed = await story.finished();
    const message = 'Job was active longer than specified deadline';
    expect(conditionsOf(failed)).toEqual(failedBy('DeadlineExceeded', message));
    expect(failed.status).toMatchObject({ failed: 1 });
    expect(await story.events('DeadlineExceeded')).toEqual([
      `DeadlineExceeded: ${message}`,
      'SuccessfulCreate: Created pod: work-…',
      'SuccessfulDelete: Deleted pod: work-…',
    ]);
  });

  test('rules tell failures that end the Job from those that count and those that do not', async () => {
    await story.run({
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          { action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [42] } },
        ],
      },
    });
    const [first] = await story.active(1);
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const disrupted = { type: 'DisruptionTarget', status: 'True', lastTransitionTime };
    await story.end(first, { phase: 'Failed', conditions: [disrupted] });
    const second = await story.successor(first);
    const { status } = await story.job((job) => job.status?.active === 1);
    expect(status?.failed).toBeUndefined();
    await story.end(second, { phase: 'Failed', exitCode: 42 });
    const failed = await story.finished();
    const what = `Container main for pod ${story.namespace}/${nameOf(second)} failed with exit code 42`;
    expect(conditionsOf(failed)).toEqual(
      failedBy('PodFailurePolicy', `${what} matching FailJob rule at index 1`),
    );
    expect(failed.status).toMatchObject({ failed: 1 });
  });

  test('with podReplacementPolicy Failed a pod on its way out is not replaced before it is over', async () => {
    await story.run({ podReplacementPolicy: 'Failed' }, { nodeName: 'far-away' });
    const [first] = await story.active(1);
    await story.setStatus(first, { phase: 'Running' });
    await story.remove(first);
    const leaving = await story.job(({ status }) => status?.terminating === 1);
    expect(leaving.status).toMatchObject({ terminating: 1, ready: 0 });
    expect(leaving.status?.failed).toBeUndefined();
    expect(leaving.status?.active).toBeUndefined();
    expect((await story.pods()).map(nameOf)).toEqual([nameOf(first)]);
    await story.end(first, { phase: 'Failed' });
    const { status } = await story.job((job) => job.status?.failed === 1 && job.status.active === 1);
    expect(status).toMatchObject({ terminating: 0 });
  });

  test('a Job that failed ends when its last pod has', async () => {
    await story.run({ backoffLimit: 0, parallelism: 2, completions: 2 }, { nodeName: 'far-away' });
    const [first, second] = await story.active(2);
    await story.setStatus(second, { phase: 'Running' });
    await story.end(first, { phase: 'Failed' });
    const ending = await story.job(({ status }) => status?.terminating === 1 && status.failed === 2);
    expect(conditionsOf(ending).map(([type]) => type)).toEqual(['FailureTarget']);
    await story.remove(second, 0);
    const failed = await story.finished();
    expect(failed.status).toMatchObject({ failed: 2, terminating: 0, ready: 0 });
  });

  test('with a limit per index each index fails on its own', async () => {
    await story.run({
      completions: 2,
      parallelism: 2,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 1,
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } },
          { action: 'FailIndex', onExitCodes: { operator: 'In', values: [4] } },
        ],
      },
    });
    const [zero, one] = await story.active(2);
    expect(zero?.metadata.annotations).toMatchObject({ [FAILURES]: '0' });
    await story.end(zero, { phase: 'Failed', exitCode: 3 });
    const afterIgnored = await story.successor(zero);
    expect(afterIgnored.metadata.annotations).toMatchObject({ [FAILURES]: '0', [IGNORED]: '1' });
    await story.end(afterIgnored, { phase: 'Failed', exitCode: 1 });
    const afterFailure = await story.successor(afterIgnored);
    expect(afterFailure.metadata.annotations).toMatchObject({ [FAILURES]: '1', [IGNORED]: '1' });
    await story.end(afterFailure, { phase: 'Failed', exitCode: 1 });
    const half = await story.job(({ status }) => status?.failedIndexes === '0' && status.failed === 2);
    expect(half.status).toMatchObject({ active: 1, failed: 2, failedIndexes: '0' });
    await story.end(one, { phase: 'Succeeded' });
    const failed = await story.finished();
    expect(conditionsOf(failed)).toEqual(failedBy('FailedIndexes', 'Job has failed indexes'));
    expect(failed.status).toMatchObject({
      completedIndexes: '1',
      failedIndexes: '0',
      failed: 2,
      succeeded: 1,
    });
  });

  test('a Job fails early when too many indexes have', async () => {
    await story.run({
      completions: 3,
      parallelism: 3,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 1,
    });
    const [zero, , two] = await story.active(3);
    await story.end(zero, { phase: 'Failed' });
    const one = await story.job(({ status }) => status?.failedIndexes === '0');
    expect(one.status?.conditions).toBeUndefined();
    await story.end(two, { phase: 'Failed' });
    const failed = await story.finished();
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    expect(conditionsOf(failed)).toEqual(failedBy('MaxFailedIndexesExceeded', message));
    expect(failed.status).toMatchObject({ failed: 3, failedIndexes: '0,2' });
    expect(failed.status?.completedIndexes).toBeUndefined();
  });
}

describeClusters('Failing Jobs', ['job-controller'], failingJobs);
