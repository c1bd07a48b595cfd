import { type batchv1, defined, formatTime, type Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';

const DUE = Date.parse('2016-05-19T10:00:00Z');
const AFTER = DUE + 60_000;

const cronJob = (
  spec: Partial<batchv1.CronJobSpec>,
  status: batchv1.CronJobStatus = {},
): Stored<batchv1.CronJob> => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: {
    name: 'backup',
    namespace: 'default',
    uid: 'c',
    resourceVersion: '1',
    creationTimestamp: '2016-05-19T09:00:00Z',
  },
  spec: { schedule: '0 * * * ?', jobTemplate: { spec: { template: {} } }, ...spec },
  status,
});

const job = (name: string, end?: 'Complete' | 'Failed', startTime?: string): Stored<batchv1.Job> => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default', uid: `uid-of-${name}`, resourceVersion: '1' },
  spec: { template: {} },
  status: {
    ...defined({ startTime }),
    ...(end === undefined ? {} : { conditions: [{ type: end, status: 'True' }] }),
    ...(end === 'Complete' && startTime !== undefined ? { completionTime: startTime } : {}),
  },
});

describe('what a CronJob notes as active', () => {
  const reference = (name: string) => ({ name, namespace: 'default', uid: `uid-of-${name}` });
  const noted = (
    names: readonly string[],
    jobs: readonly Stored<batchv1.Job>[],
    gone: readonly string[] = [],
  ) => {
    const status = { active: names.map(reference), lastScheduleTime: formatTime(new Date(DUE)) };
    const observed = {
      cronJob: cronJob({}, status),
      jobs,
      gone: new Set(gone.map((name) => `uid-of-${name}`)),
    };
    const { active } = decide(observed, AFTER);
    return {
      names: active.references.map(({ name }) => name),
      events: active.events.map(({ reason, message }) => `${reason}: ${message}`),
      last: active.lastSuccessfulTime,
    };
  };
  test.each([
    ['what runs stays', ['a'], [job('a')], [], { names: ['a'], events: [], last: undefined }],
    [
      'what is complete goes, and its time is kept',
      ['a'],
      [job('a', 'Complete', '2016-05-19T10:00:30Z')],
      [],
      {
        names: [],
        events: ['SawCompletedJob: Saw completed job: a, condition: Complete'],
        last: '2016-05-19T10:00:30Z',
      },
    ],
    [
      'what failed goes',
      ['a'],
      [job('a', 'Failed')],
      [],
      { names: [], events: ['SawCompletedJob: Saw completed job: a, condition: Failed'], last: undefined },
    ],
    [
      'what the server does not have goes',
      ['a'],
      [],
      ['a'],
      { names: [], events: ['MissingJob: Active job went missing: a'], last: undefined },
    ],
    ['what only the cache does not have stays', ['a'], [], [], { names: ['a'], events: [], last: undefined }],
    [
      'a finished Job without an entry gets an event',
      [],
      [job('b')],
      [],
      {
        names: [],
        events: ['UnexpectedJob: Saw a job that the controller did not create or forgot: b'],
        last: undefined,
      },
    ],
  ])('%s', (_title, names, jobs, gone, expected) => {
    expect(noted(names, jobs, gone)).toEqual(expected);
  });
});

describe('the history of a CronJob', () => {
  const JOBS = [
    job('new', 'Complete', '2016-05-19T09:00:00Z'),
    job('old', 'Complete', '2016-05-19T07:00:00Z'),
    job('middle', 'Complete', '2016-05-19T08:00:00Z'),
    job('failed-new', 'Failed', '2016-05-19T09:00:00Z'),
    job('failed-old', 'Failed', '2016-05-19T08:00:00Z'),
    job('failed-unbegun', 'Failed'),
    job('running', undefined, '2016-05-19T06:00:00Z'),
  ];
  test.each<[string, Partial<batchv1.CronJobSpec>, readonly string[]]>([
    ['keeps all without limits', {}, []],
    ['keeps the youngest that succeeded', { successfulJobsHistoryLimit: 1 }, ['old', 'middle']],
    [
      'keeps the youngest that failed, and what never began as the youngest',
      { failedJobsHistoryLimit: 1 },
      ['failed-old', 'failed-new'],
    ],
    [
      'keeps none',
      { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 },
      ['old', 'middle', 'new', 'failed-old', 'failed-new', 'failed-unbegun'],
    ],
    ['keeps all that it has', { successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 9 }, []],
  ])('%s', (_title, limits, expected) => {
    const spec = { suspend: true, ...limits };
    const { old } = decide({ cronJob: cronJob(spec), jobs: JOBS, gone: new Set() }, AFTER);
    expect(old.map(({ metadata }) => metadata.name)).toEqual(expected);
  });
});
