import assert from 'node:assert/strict';
import { createClient, type Client } from '@kubewright/client';
import { batchv1, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';

/** New Year, of which every run of the suite has one behind it. */
const YEARLY = '0 0 1 1 *';
const THIS_YEAR = Date.UTC(new Date().getUTCFullYear(), 0, 1);
const LONG_AGO = '2020-06-01T00:00:00Z';
const nameFor = (time: number): string => `tick-${time / 60_000}`;
const timeOf = (time: number): string => new Date(time).toISOString().replace('.000', '');

let told = 0;

function cronJobs(transport: () => Transport): void {
  let client: Client;
  let namespace: string;
  async function moveToNewNamespace(): Promise<void> {
    namespace = `cron-${++told}`;
    const metadata = { name: namespace };
    await client.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
  }
  beforeEach(async () => {
    client = createClient(transport());
    await moveToNewNamespace();
  });
  const key = (name: string) => ({ namespace, name });

  /** A CronJob that sleeps, and last ran long ago. */
  async function sleeping(spec: Partial<batchv1.CronJobSpec>): Promise<void> {
    const containers = [{ name: 'main', image: 'work:1' }];
    const jobSpec = { template: { spec: { restartPolicy: 'Never', containers } } } as batchv1.JobSpec;
    const jobTemplate = {
      metadata: { labels: { app: 'tick' }, annotations: { by: 'clock' } },
      spec: jobSpec,
    };
    await client.create(batchv1.cronjobs, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'tick', namespace },
      spec: { schedule: YEARLY, suspend: true, jobTemplate, ...spec },
    });
    await patch({ status: { lastScheduleTime: LONG_AGO } }, 'status');
  }

  const patch = (body: Record<string, unknown>, subresource?: string) =>
    client.patch(
      batchv1.cronjobs,
      key('tick'),
      { type: 'merge', body: body as never },
      subresource === undefined ? {} : { subresource },
    );
  const wake = () => patch({ spec: { suspend: false } });

  async function cronJob(isSo: (cronJob: batchv1.CronJob) => boolean): Promise<batchv1.CronJob> {
    const found = await waitForObject(client, batchv1.cronjobs, key('tick'), (live) =>
      live === undefined ? false : isSo(live),
    );
    assert(found !== undefined, 'the CronJob is gone');
    return found;
  }

  /** Until the CronJob has noted a Job as active. */
  async function started(time: number): Promise<batchv1.Job> {
    await cronJob(({ status }) => (status?.active ?? []).some(({ name }) => name === nameFor(time)));
    return client.get(batchv1.jobs, key(nameFor(time)));
  }

  async function finish(name: string, how: 'Complete' | 'Failed'): Promise<string> {
    const time = timeOf(Math.floor(Date.now() / 1000) * 1000);
    const interim = how === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
    const conditions = [interim, how].map((type) => ({ type, status: 'True', lastTransitionTime: time }));
    const status = { startTime: time, conditions, ...(how === 'Complete' ? { completionTime: time } : {}) };
    await client.patch(
      batchv1.jobs,
      key(name),
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    return time;
  }

  const gone = (name: string) => waitForObject(client, batchv1.jobs, key(name), (live) => live === undefined);

  /** Reasons and messages of the events about the CronJob, once `reason` is among them. */
  async function events(reason: string): Promise<readonly string[]> {
    for (;;) {
      const { items } = await client.list(corev1.events, { namespace });
      const about = items.filter(({ involvedObject }) => involvedObject.kind === 'CronJob');
      const texts = about.map(({ type, reason: why, message }) => `${type} ${why}: ${message}`);
      if (about.some((event) => event.reason === reason)) return [...new Set(texts)].sort();
    }
  }

  test('a moment that was missed is made up for, with a Job named after it, and its end is noted', async () => {
    await sleeping({});
    const { metadata } = await wake();
    const job = await started(THIS_YEAR);
    expect(job.metadata).toMatchObject({
      name: nameFor(THIS_YEAR),
      labels: { app: 'tick' },
      annotations: {
        by: 'clock',
        'batch.kubernetes.io/cronjob-scheduled-timestamp': timeOf(THIS_YEAR),
      },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          name: 'tick',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    const { name = '', uid } = job.metadata;
    const running = await cronJob(() => true);
    expect(running.status).toEqual({
      lastScheduleTime: timeOf(THIS_YEAR),
      active: [
        { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid, resourceVersion: expect.any(String) },
      ],
    });
    const time = await finish(name, 'Complete');
    const done = await cronJob(({ status }) => status?.active === undefined);
    expect(done.status).toEqual({ lastScheduleTime: timeOf(THIS_YEAR), lastSuccessfulTime: time });
    expect(await events('SawCompletedJob')).toEqual([
      `Normal SawCompletedJob: Saw completed job: ${name}, condition: Complete`,
      `Normal SuccessfulCreate: Created job ${name}`,
    ]);
  });

  test('the schedule is kept in its own time zone', async () => {
    await sleeping({ timeZone: 'Asia/Kolkata' });
    await wake();
    const time = THIS_YEAR - 330 * 60_000;
    const job = await started(time);
    expect(job.metadata.annotations).toMatchObject({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': `${timeOf(THIS_YEAR).slice(0, -1)}+05:30`,
    });
    const { status } = await cronJob(() => true);
    expect(status?.lastScheduleTime).toBe(timeOf(time));
  });

  test('of many missed moments only the last is made up for, with a warning', async () => {
    await sleeping({ schedule: '0 0 * * *' });
    await wake();
    const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    await started(today);
    expect(await events('SuccessfulCreate')).toEqual([
      `Normal SuccessfulCreate: Created job ${nameFor(today)}`,
      'Warning TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    ]);
    expect((await client.list(batchv1.jobs, { namespace })).items).toHaveLength(1);
  });

  test('a Job that failed, and one that is gone, are no longer active', async () => {
    await sleeping({});
    await wake();
    const { metadata } = await started(THIS_YEAR);
    await finish(metadata.name ?? '', 'Failed');
    const failed = await cronJob(({ status }) => status?.active === undefined);
    expect(failed.status).toEqual({ lastScheduleTime: timeOf(THIS_YEAR) });
    await patch({ spec: { suspend: true } });
    await patch({ status: { lastScheduleTime: LONG_AGO } }, 'status');
    await client.delete(batchv1.jobs, key(metadata.name ?? ''), { propagationPolicy: 'Background' });
    await wake();
    await started(THIS_YEAR);
    await client.delete(batchv1.jobs, key(nameFor(THIS_YEAR)), { propagationPolicy: 'Background' });
    await cronJob(({ status }) => status?.active === undefined);
    expect(await events('MissingJob')).toEqual([
      `Normal MissingJob: Active job went missing: ${nameFor(THIS_YEAR)}`,
      `Normal SawCompletedJob: Saw completed job: ${nameFor(THIS_YEAR)}, condition: Failed`,
      `Normal SuccessfulCreate: Created job ${nameFor(THIS_YEAR)}`,
    ]);
  });

  /** A second moment comes while the Job of the first still runs. */
  async function twice(policy: 'Forbid' | 'Replace'): Promise<number> {
    await sleeping({ concurrencyPolicy: policy });
    await wake();
    await started(THIS_YEAR);
    await patch({ spec: { suspend: true } });
    await patch({ spec: { schedule: '30 0 1 1 *' } });
    await wake();
    return THIS_YEAR + 30 * 60_000;
  }

  test('where Jobs may not overlap, the second waits', async () => {
    await twice('Forbid');
    expect(await events('JobAlreadyActive')).toEqual([
      'Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
      `Normal SuccessfulCreate: Created job ${nameFor(THIS_YEAR)}`,
    ]);
    const { status } = await cronJob(() => true);
    expect(status?.active?.map(({ name }) => name)).toEqual([nameFor(THIS_YEAR)]);
    expect(status?.lastScheduleTime).toBe(timeOf(THIS_YEAR));
  });

  test('where the next Job replaces the one before, that one goes', async () => {
    const second = await twice('Replace');
    await started(second);
    await gone(nameFor(THIS_YEAR));
    const { status } = await cronJob(() => true);
    expect(status?.active?.map(({ name }) => name)).toEqual([nameFor(second)]);
    expect(await events('SuccessfulDelete')).toEqual([
      `Normal SuccessfulCreate: Created job ${nameFor(THIS_YEAR)}`,
      `Normal SuccessfulCreate: Created job ${nameFor(second)}`,
      `Normal SuccessfulDelete: Deleted job ${nameFor(THIS_YEAR)}`,
    ]);
  });

  test('what is too late is not begun', async () => {
    await sleeping({ startingDeadlineSeconds: 3600 });
    await wake();
    const late = namespace;
    await moveToNewNamespace();
    await sleeping({});
    await wake();
    await started(THIS_YEAR);
    expect((await client.list(batchv1.jobs, { namespace: late })).items).toEqual([]);
  });

  test('the history keeps no more Jobs that are over than it may', async () => {
    await sleeping({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 1 });
    await wake();
    const { metadata } = await started(THIS_YEAR);
    const time = await finish(metadata.name ?? '', 'Complete');
    await gone(nameFor(THIS_YEAR));
    const { status } = await cronJob((live) => live.status?.active === undefined);
    expect(status).toEqual({ lastScheduleTime: timeOf(THIS_YEAR), lastSuccessfulTime: time });
    expect(await events('SuccessfulDelete')).toContain(
      `Normal SuccessfulDelete: Deleted job ${nameFor(THIS_YEAR)}`,
    );
  });
}

describeClusters('CronJobs', ['cronjob-controller', 'garbage-collector-controller'], cronJobs);
