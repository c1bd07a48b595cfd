import { keyOf } from '@kubewright/client';
import {
  batchv1,
  controllerOf,
  type corev1,
  corev1 as core,
  policyv1,
  type Transport,
} from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { conditionsOf, JobStory } from './job-story.ts';

const FINALIZER = 'batch.kubernetes.io/job-tracking';
const COMPLETED = 'Reached expected number of succeeded pods';

function livesOfJobs(transport: () => Transport): void {
  let story: JobStory;
  beforeEach(async () => {
    story = await JobStory.begin(transport());
  });

  /** Until a pod is as it should be; undefined stands for one that is gone. */
  const podUntil = (pod: corev1.Pod | undefined, isSo: (live?: corev1.Pod) => boolean) =>
    waitForObject(story.client, core.pods, keyOf(pod as corev1.Pod), isSo);

  /**
   * Until the controllers have seen one pod with these labels. Each kind has a watch of its own, so a Job may be seen before
   * a pod that is older; that a budget counts the pod shows that it was seen.
   */
  async function untilPodsAreSeen(matchLabels: Readonly<Record<string, string>>): Promise<void> {
    const budget: policyv1.PodDisruptionBudget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: story.key('witness'),
      spec: { selector: { matchLabels }, minAvailable: 1 },
    };
    const ref = policyv1.poddisruptionbudgets;
    await story.client.create(ref, budget);
    await waitForObject(story.client, ref, story.key('witness'), (live) => live?.status?.expectedPods === 1);
  }

  test('a suspended Job has no pods; resumed it begins its time anew', async () => {
    await story.run({ suspend: true });
    const asleep = await story.job(({ status }) => (status?.conditions ?? []).length > 0);
    expect(conditionsOf(asleep)).toEqual([['Suspended', 'True', 'JobSuspended', 'Job suspended']]);
    expect(asleep.status).toEqual({
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      conditions: expect.any(Array),
    });
    await story.change({ suspend: false });
    await story.active(1);
    const awake = await story.job(({ status }) => status?.conditions?.[0]?.status === 'False');
    expect(conditionsOf(awake)).toEqual([['Suspended', 'False', 'JobResumed', 'Job resumed']]);
    expect(awake.status?.startTime).toBeDefined();
    await story.change({ suspend: true });
    const again = await story.job(({ status }) => status?.conditions?.[0]?.status === 'True');
    expect(again.status?.startTime).toBeUndefined();
    const still = await story.job(({ status }) => (status?.active ?? 0) === 0 && status?.terminating === 0);
    expect(still.status?.failed).toBeUndefined();
    expect(await story.pods()).toEqual([]);
    await story.change({ suspend: false });
    const [pod] = await story.active(1);
    await story.end(pod, { phase: 'Succeeded' });
    const done = await story.finished();
    expect(conditionsOf(done)).toEqual([
      ['Suspended', 'False', 'JobResumed', 'Job resumed'],
      ['SuccessCriteriaMet', 'True', 'CompletionsReached', COMPLETED],
      ['Complete', 'True', 'CompletionsReached', COMPLETED],
    ]);
    const events = await story.events('Completed');
    expect([...new Set(events)]).toEqual([
      'Completed: Job completed',
      'Resumed: Job resumed',
      'SuccessfulCreate: Created pod: work-…',
      'SuccessfulDelete: Deleted pod: work-…',
      'Suspended: Job suspended',
    ]);
  });

  test('fewer pods at once are left when the parallelism is lowered, the least advanced gone, and not as failures', async () => {
    await story.run({ completions: 5, parallelism: 3 });
    const [first] = await story.active(3);
    await story.setStatus(first, { phase: 'Running' });
    await story.change({ parallelism: 1 });
    const { status } = await story.job((job) => job.status?.active === 1 && job.status.terminating === 0);
    expect(status?.failed).toBeUndefined();
    expect((await story.pods()).map(({ metadata }) => metadata.name)).toEqual([first?.metadata.name]);
  });

  test('without a number of completions one success is enough, once the other pods are over', async () => {
    await story.run({ parallelism: 2 });
    const [first, second] = await story.active(2);
    await story.end(first, { phase: 'Succeeded' });
    await story.job((job) => job.status?.succeeded === 1 && job.status.active === 1);
    expect(await story.pods()).toHaveLength(2);
    await story.end(second, { phase: 'Failed' });
    const done = await story.finished();
    expect(done.status).toMatchObject({ succeeded: 1, failed: 1 });
    expect(conditionsOf(done).map(([type, , reason]) => [type, reason])).toEqual([
      ['SuccessCriteriaMet', 'CompletionsReached'],
      ['Complete', 'CompletionsReached'],
    ]);
  });

  test('a Job of no completions is complete at once', async () => {
    await story.run({ completions: 0 });
    expect((await story.finished()).status?.startTime).toBeDefined();
    expect(await story.pods()).toEqual([]);
  });

  test('pods are adopted and released by their labels, with what holds them', async () => {
    const labels = { app: 'work' };
    const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work:1' }] };
    await story.client.create(core.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'found', namespace: story.namespace, labels },
      spec: spec as corev1.PodSpec,
    });
    await untilPodsAreSeen(labels);
    const job = await story.run({
      manualSelector: true,
      selector: { matchLabels: labels },
      parallelism: 1,
      template: { metadata: { labels }, spec } as corev1.PodTemplateSpec,
    });
    const [adopted] = await story.active(1);
    expect(adopted?.metadata).toMatchObject({ name: 'found', finalizers: [FINALIZER] });
    expect(controllerOf(adopted as corev1.Pod)?.uid).toBe(job.metadata.uid);
    const body = { metadata: { labels: { app: 'other' } } };
    await story.client.patch(core.pods, story.key('found'), { type: 'merge', body });
    const released = await podUntil(adopted, (pod) => pod?.metadata.ownerReferences === undefined);
    expect(released?.metadata.finalizers).toBeUndefined();
    await story.active(1);
    expect((await story.pods()).map(({ metadata }) => metadata.name)).toHaveLength(2);
  });

  test('a Job that another controller manages is left alone', async () => {
    await story.run({ managedBy: 'example.com/other' });
    const other = await JobStory.begin(transport());
    await other.run();
    await other.active(1);
    const { status } = await story.job(() => true);
    expect(status ?? {}).toEqual({});
    expect(await story.pods()).toEqual([]);
  });

  test('pods that outlive their Job are released', async () => {
    await story.run();
    const [pod] = await story.active(1);
    await story.client.delete(batchv1.jobs, story.key(), { propagationPolicy: 'Orphan' });
    const orphan = await podUntil(
      pod,
      (live) => live?.metadata.finalizers === undefined && live?.metadata.ownerReferences === undefined,
    );
    expect(orphan?.metadata.deletionTimestamp).toBeUndefined();
  });

  test.each(['Background', 'Foreground'] as const)(
    '%s deletion takes the pods too',
    async (propagationPolicy) => {
      await story.run({ parallelism: 2 });
      const pods = await story.active(2);
      await story.client.delete(batchv1.jobs, story.key(), { propagationPolicy });
      for (const pod of pods) await podUntil(pod, (live) => live === undefined);
      await waitForObject(story.client, batchv1.jobs, story.key(), (live) => live === undefined);
      expect(await story.pods()).toEqual([]);
    },
  );
}

describeClusters(
  'Lives of Jobs',
  ['job-controller', 'garbage-collector-controller', 'disruption-controller'],
  livesOfJobs,
);
