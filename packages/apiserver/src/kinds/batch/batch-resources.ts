import type { Declaration } from '../../model/declaration.ts';
import { numberAt, statusOf } from '../../objects/read.ts';
import { cronJob, cronJobStatus } from './cron-job.ts';
import { job, jobStatus } from './job.ts';

/** `batch/v1`. */
export const BATCH_RESOURCES: readonly Declaration[] = [
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    resource: 'cronjobs',
    short: ['cj'],
    categories: ['all'],
    strategy: cronJob,
    status: cronJobStatus,
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    resource: 'jobs',
    categories: ['all'],
    strategy: job,
    status: jobStatus,
    rest: {
      // For compatibility with the time before owner references.
      defaultPropagation: 'Orphan',
      selectableFields: { 'status.successful': (object) => String(numberAt(statusOf(object), 'succeeded')) },
    },
  },
];
