import type { Transport } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { conditionsOf, JobStory } from './job-story.ts';

const CONTROLLERS = ['job-controller', 'garbage-collector-controller'] as const;
const FINALIZER = 'batch.kubernetes.io/job-tracking';

function jobs(transport: () => Transport): void {
  let story: JobStory;
  beforeEach(async () => {
    story = await JobStory.begin(transport());
  });

  test('a Job runs as many pods at once as it may, until enough have succeeded', async () => {
    const { metadata } = await story.run({ completions: 3, parallelism: 2 });
    const [first, second] = await story.active(2);
    const labels = {
      'job-name': 'work',
      'batch.kubernetes.io/job-name': 'work',
      'controller-uid': metadata.uid,
      'batch.kubernetes.io/controller-uid': metadata.uid,
    };
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'work', uid: metadata.uid };
    expect(first?.metadata).toMatchObject({
      generateName: 'work-',
      labels,
      finalizers: [FINALIZER],
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    });
    await story.end(first, { phase: 'Succeeded' });
    const running = await story.job(({ status }) => status?.succeeded === 1 && status.active === 2);
    expect(running.status).toEqual({
      active: 2,
      ready: 0,
      succeeded: 1,
      terminating: 0,
      startTime: expect.any(String),
      uncountedTerminatedPods: {},
    });
    await story.end(second, { phase: 'Succeeded' });
    await story.job(({ status }) => status?.succeeded === 2 && status.active === 1);
    const [third] = await story.active(1);
    await story.end(third, { phase: 'Succeeded' });
    const done = await story.finished();
    const message = 'Reached expected number of succeeded pods';
    expect(conditionsOf(done)).toEqual([
      ['SuccessCriteriaMet', 'True', 'CompletionsReached', message],
      ['Complete', 'True', 'CompletionsReached', message],
    ]);
    expect(done.status).toEqual({
      ready: 0,
      succeeded: 3,
      terminating: 0,
      startTime: running.status?.startTime,
      completionTime: expect.any(String),
      uncountedTerminatedPods: {},
      conditions: expect.any(Array),
    });
    expect((await story.pods()).map((pod) => pod.metadata.finalizers)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await story.events('Completed')).toEqual([
      'Completed: Job completed',
      ...Array<string>(3).fill('SuccessfulCreate: Created pod: work-…'),
    ]);
  });

  test('a Job whose pods fail more often than it may fails, and what still runs is stopped', async () => {
    await story.run({ completions: 2, parallelism: 2, backoffLimit: 0 });
    const [first] = await story.active(2);
    await story.end(first, { phase: 'Failed' });
    const failed = await story.finished();
    const message = 'Job has reached the specified backoff limit';
    expect(conditionsOf(failed)).toEqual([
      ['FailureTarget', 'True', 'BackoffLimitExceeded', message],
      ['Failed', 'True', 'BackoffLimitExceeded', message],
    ]);
    expect(failed.status).toEqual({
      ready: 0,
      failed: 2,
      terminating: 0,
      startTime: expect.any(String),
      uncountedTerminatedPods: {},
      conditions: expect.any(Array),
    });
    expect((await story.pods()).map(({ metadata }) => metadata.name)).toEqual([first?.metadata.name]);
    expect(await story.events('BackoffLimitExceeded')).toEqual([
      `BackoffLimitExceeded: ${message}`,
      'SuccessfulCreate: Created pod: work-…',
      'SuccessfulCreate: Created pod: work-…',
      'SuccessfulDelete: Deleted pod: work-…',
    ]);
  });
}

describeClusters('Jobs', CONTROLLERS, jobs);
