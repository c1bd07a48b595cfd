import type { corev1, Transport } from '@kubewright/kube';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { conditionsOf, indexOf, JobStory } from './job-story.ts';

const INDEX = 'batch.kubernetes.io/job-completion-index';

function indexedJobs(transport: () => Transport): void {
  let story: JobStory;
  beforeEach(async () => {
    story = await JobStory.begin(transport());
  });

  test('each pod of an indexed Job knows its index, and each index succeeds once', async () => {
    await story.run({ completions: 4, parallelism: 3, completionMode: 'Indexed' });
    const [zero, one, two] = await story.active(3);
    expect(zero?.metadata).toMatchObject({
      generateName: 'work-0-',
      annotations: { [INDEX]: '0' },
      labels: { [INDEX]: '0', 'job-name': 'work' },
    });
    expect(two?.spec.hostname).toBe('work-2');
    const fieldPath = `metadata.labels['${INDEX}']`;
    expect(one?.spec.containers[0]?.env).toEqual([
      { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } },
    ]);
    await story.end(zero, { phase: 'Succeeded' });
    await story.end(two, { phase: 'Succeeded' });
    const half = await story.job(({ status }) => status?.succeeded === 2 && status.active === 2);
    expect(half.status).toMatchObject({ completedIndexes: '0,2', uncountedTerminatedPods: {} });
    const [second, three] = await story.active(2);
    expect(indexOf(three as corev1.Pod)).toBe(3);
    await story.end(second, { phase: 'Succeeded' });
    await story.end(three, { phase: 'Succeeded' });
    const done = await story.finished();
    expect(done.status).toMatchObject({ completedIndexes: '0-3', succeeded: 4, ready: 0, terminating: 0 });
    expect(conditionsOf(done).map(([type]) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
  });

  test('an index whose pod failed is tried again', async () => {
    await story.run({ completions: 2, parallelism: 2, completionMode: 'Indexed' });
    const [, one] = await story.active(2);
    await story.end(one, { phase: 'Failed' });
    const again = await story.successor(one);
    expect(indexOf(again)).toBe(1);
    const { status } = await story.job((job) => job.status?.failed === 1 && job.status.active === 2);
    expect(status?.completedIndexes).toBeUndefined();
  });

  test('an indexed Job is made longer and shorter with its parallelism', async () => {
    await story.run({ completions: 2, parallelism: 2, completionMode: 'Indexed' });
    await story.active(2);
    await story.change({ completions: 3, parallelism: 3 });
    const pods = await story.active(3);
    expect(pods.map(indexOf)).toEqual([0, 1, 2]);
    await story.end(pods[2], { phase: 'Succeeded' });
    await story.job(({ status }) => status?.completedIndexes === '2');
    await story.change({ completions: 1, parallelism: 1 });
    await story.active(1);
    const shorter = await story.job(({ status }) => status?.active === 1 && (status.succeeded ?? 0) === 0);
    expect(shorter.status?.completedIndexes).toBeUndefined();
    const [zero] = await story.active(1);
    expect(indexOf(zero as corev1.Pod)).toBe(0);
    await story.end(zero, { phase: 'Succeeded' });
    expect((await story.finished()).status).toMatchObject({ completedIndexes: '0', succeeded: 1 });
  });

  test('a success policy ends a Job before all indexes are done', async () => {
    await story.run({
      completions: 4,
      parallelism: 4,
      completionMode: 'Indexed',
      successPolicy: { rules: [{ succeededIndexes: '3' }, { succeededIndexes: '0-2', succeededCount: 2 }] },
    });
    const [zero, , two] = await story.active(4);
    await story.end(zero, { phase: 'Succeeded' });
    await story.job(({ status }) => status?.completedIndexes === '0');
    await story.end(two, { phase: 'Succeeded' });
    const done = await story.finished();
    expect(conditionsOf(done)).toEqual([
      ['SuccessCriteriaMet', 'True', 'SuccessPolicy', 'Matched rules at index 1'],
      ['Complete', 'True', 'SuccessPolicy', 'Matched rules at index 1'],
    ]);
    expect(done.status).toMatchObject({ completedIndexes: '0,2', succeeded: 2, terminating: 0, ready: 0 });
    expect(done.status?.failed).toBeUndefined();
    expect((await story.pods()).map(indexOf)).toEqual([0, 2]);
  });
}

describeClusters('Indexed Jobs', ['job-controller'], indexedJobs);
