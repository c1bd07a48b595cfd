import { type batchv1, defined, type Stored } from '@kubewright/kube';
import { formatTimeIn } from '@kubewright/kube/schedule';
import { controllerReference } from '../../workloads/pod-from-template.ts';

const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The name is made of the moment, so that one moment makes one Job, however often it is tried. */
export function jobName({ metadata }: Stored<batchv1.CronJob>, time: number): string {
  return `${metadata.name}-${Math.floor(time / 60_000)}`;
}

/** Whether it was made for a moment, and not by hand. */
export function isScheduled({ metadata }: Stored<batchv1.Job>): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, SCHEDULED);
}

/** The Job of one moment. */
export function newJob(cronJob: Stored<batchv1.CronJob>, time: number): batchv1.Job {
  const { jobTemplate, timeZone = 'UTC' } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cronJob, time),
      namespace: cronJob.metadata.namespace,
      ...defined({ labels }),
      annotations: { ...annotations, [SCHEDULED]: formatTimeIn(timeZone, time) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: jobTemplate.spec ?? { template: {} },
  };
}
