import { type batchv1, defined, formatTime, type Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Observed } from '../observe.ts';
import { type CronJobDecision, decide } from './decide.ts';
import { jobName } from './new-job.ts';

const at = (time: string): number => Date.parse(`2016-05-${time}Z`);
const CREATED = at('19T09:00:00');
const LAST = at('19T09:00:00');
const BEFORE = at('19T09:59:00');
const DUE = at('19T10:00:00');
const AFTER = at('19T10:01:00');
const WEEK_LATER = at('26T10:00:00');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** So much after the moment it is looked again. */
const DELTA = 100;

type State = {
  /** When the last Job was begun; its Job is over, unless `running`. */
  readonly last?: number;
  readonly running?: true;
  readonly now: number;
};
type Expected = {
  /** The moment for which a Job is made. */
  readonly creates?: number;
  readonly replaces?: true;
  readonly wait?: number;
  readonly events?: readonly string[];
};
type Case = readonly [title: string, spec: Partial<batchv1.CronJobSpec>, state: State, expected: Expected];

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
    creationTimestamp: formatTime(new Date(CREATED)),
  },
  spec: {
    schedule: '0 * * * ?',
    concurrencyPolicy: 'Allow',
    jobTemplate: { metadata: { labels: { a: 'b' }, annotations: { x: 'y' } }, spec: { template: {} } },
    ...spec,
  },
  status,
});

const job = (name: string, end?: 'Complete'): Stored<batchv1.Job> => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default', uid: `uid-of-${name}`, resourceVersion: '1' },
  spec: { template: {} },
  status: end === undefined ? {} : { conditions: [{ type: end, status: 'True' }] },
});

function observe(spec: Partial<batchv1.CronJobSpec>, { last, running }: State): Observed {
  if (last === undefined) return { cronJob: cronJob(spec), jobs: [], gone: new Set() };
  const before = job('before', running ? undefined : 'Complete');
  const lastScheduleTime = formatTime(new Date(last));
  const active = running ? { active: [{ name: 'before', namespace: 'default', uid: 'uid-of-before' }] } : {};
  return { cronJob: cronJob(spec, { lastScheduleTime, ...active }), jobs: [before], gone: new Set() };
}

function outcome({ create, scheduled, replaced, requeueAfter, events }: CronJobDecision): Expected {
  const reasons = events.filter(({ reason }) => reason !== 'SawCompletedJob').map(({ reason }) => reason);
  return {
    ...(create === undefined || scheduled === undefined ? {} : { creates: scheduled }),
    ...(replaced.length === 0 ? {} : { replaces: true as const }),
    ...defined({ wait: requeueAfter }),
    ...(reasons.length === 0 ? {} : { events: reasons }),
  };
}

const NEXT = { wait: HOUR - MINUTE + DELTA };
const DONE = { last: LAST } as const;
const RUNS = { last: LAST, running: true } as const;
const policies = ['Allow', 'Forbid', 'Replace'] as const;

const PLAIN: readonly Case[] = policies.flatMap((concurrencyPolicy): readonly Case[] => [
  [
    `${concurrencyPolicy}: never ran, not time`,
    { concurrencyPolicy },
    { now: BEFORE },
    { wait: MINUTE + DELTA },
  ],
  [`${concurrencyPolicy}: never ran, time`, { concurrencyPolicy }, { now: AFTER }, { creates: DUE, ...NEXT }],
  [
    `${concurrencyPolicy}: ran, not time`,
    { concurrencyPolicy },
    { ...DONE, now: BEFORE },
    { wait: MINUTE + DELTA },
  ],
  [
    `${concurrencyPolicy}: ran, time`,
    { concurrencyPolicy },
    { ...DONE, now: AFTER },
    { creates: DUE, ...NEXT },
  ],
  [
    `${concurrencyPolicy}: runs, not time`,
    { concurrencyPolicy },
    { ...RUNS, now: BEFORE },
    { wait: MINUTE + DELTA },
  ],
  [`${concurrencyPolicy}: suspended`, { concurrencyPolicy, suspend: true }, { ...DONE, now: AFTER }, {}],
  [
    `${concurrencyPolicy}: a week late`,
    { concurrencyPolicy },
    { ...DONE, now: WEEK_LATER },
    { creates: WEEK_LATER, wait: HOUR + DELTA, events: ['TooManyMissedTimes'] },
  ],
  [
    `${concurrencyPolicy}: a week late, with a deadline that leaves few moments`,
    { concurrencyPolicy, startingDeadlineSeconds: 2 * 60 * 60 },
    { ...DONE, now: WEEK_LATER },
    { creates: WEEK_LATER, wait: HOUR + DELTA },
  ],
]);

const BUSY: readonly Case[] = [
  ['Allow: begins beside what runs', {}, { ...RUNS, now: AFTER }, { creates: DUE, ...NEXT }],
  [
    'Forbid: waits for what runs, and looks at the next moment',
    { concurrencyPolicy: 'Forbid' },
    { ...RUNS, now: AFTER },
    { ...NEXT, events: ['JobAlreadyActive'] },
  ],
  [
    'Replace: ends what runs',
    { concurrencyPolicy: 'Replace' },
    { ...RUNS, now: AFTER },
    { creates: DUE, replaces: true, ...NEXT },
  ],
];

const DEADLINES: readonly Case[] = [
  [
    'past the deadline',
    { startingDeadlineSeconds: 10 },
    { now: AFTER },
    // Nothing lies within the deadline: the moment is not even looked at.
    NEXT,
  ],
  ['within the deadline', { startingDeadlineSeconds: 600 }, { now: AFTER }, { creates: DUE, ...NEXT }],
  ['just within the deadline', { startingDeadlineSeconds: 61 }, { now: AFTER }, { creates: DUE, ...NEXT }],
  [
    'a hundred missed moments are no reason for a warning, one more is',
    { schedule: '* * * * *' },
    { last: AFTER - 100 * MINUTE, now: AFTER },
    { creates: AFTER, wait: MINUTE + DELTA },
  ],
  [
    'a hundred and one are',
    { schedule: '* * * * *' },
    { last: AFTER - 101 * MINUTE, now: AFTER },
    { creates: AFTER, wait: MINUTE + DELTA, events: ['TooManyMissedTimes'] },
  ],
  [
    'time that went back after the moment was used',
    { concurrencyPolicy: 'Forbid' },
    { last: DUE, now: BEFORE },
    { wait: HOUR + MINUTE + DELTA },
  ],
];

const SCHEDULES: readonly Case[] = [
  [
    'no schedule',
    { schedule: 'obvious error schedule' },
    { now: AFTER },
    { events: ['UnparseableSchedule'] },
  ],
  ['no time zone', { timeZone: 'bad timezone' }, { now: AFTER }, { events: ['UnknownTimeZone'] }],
  ['without any moment', { schedule: '59 23 31 2 *' }, { now: AFTER }, { events: ['InvalidSchedule'] }],
  [
    'in a zone, not time',
    { schedule: '0 6 * * ?', timeZone: 'America/New_York' },
    { now: BEFORE },
    { wait: MINUTE + DELTA },
  ],
  [
    'in a zone, time',
    { schedule: '0 6 * * ?', timeZone: 'America/New_York' },
    { now: AFTER },
    { creates: DUE, wait: 24 * HOUR - MINUTE + DELTA },
  ],
  [
    'with a zone of its own',
    { schedule: 'TZ=UTC 0 * * * ?' },
    { now: AFTER },
    { creates: DUE, ...NEXT, events: ['UnsupportedSchedule'] },
  ],
  [
    'with a gap: the last moment before it is not lost',
    // Friday 20 May at 14:00, then Monday.
    { schedule: '0 6-14/4 * * 1-5' },
    { last: at('20T06:00:00'), now: at('22T12:00:00') },
    { creates: at('20T14:00:00'), wait: 18 * HOUR + DELTA },
  ],
  ['@every, not time', { schedule: '@every 1h' }, { last: LAST, now: BEFORE }, { wait: MINUTE + DELTA }],
  ['@every, time', { schedule: '@every 1h' }, { last: LAST, now: DUE }, { creates: DUE, wait: HOUR + DELTA }],
];

describe('a CronJob begins a Job', () => {
  test.each([...PLAIN, ...BUSY, ...DEADLINES, ...SCHEDULES])('%s', (_title, spec, state, expected) => {
    expect(outcome(decide(observe(spec, state), state.now))).toEqual(expected);
  });

  test('named by the minute of its moment, labelled and annotated by the template, with its moment in its zone', () => {
    const spec = { timeZone: 'America/New_York' };
    const { create } = decide(observe(spec, { now: AFTER }), AFTER);
    expect(create?.metadata).toMatchObject({
      name: `backup-${DUE / MINUTE}`,
      labels: { a: 'b' },
      annotations: { x: 'y', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2016-05-19T06:00:00-04:00' },
      ownerReferences: [{ kind: 'CronJob', name: 'backup', uid: 'c', controller: true }],
    });
  });

  test('once: one that is there and not noted is noted', () => {
    const observed = observe({}, { now: AFTER });
    const made = job(jobName(observed.cronJob, DUE));
    const { create, created, scheduled, events } = decide({ ...observed, jobs: [made] }, AFTER);
    expect([create, created, scheduled, events]).toEqual([undefined, made, DUE, []]);
  });

  test.each([
    ['Forbid', 'in its way', { ...NEXT, events: ['UnexpectedJob', 'JobAlreadyActive'] }],
    ['Replace', 'replaced', { creates: DUE, replaces: true, ...NEXT, events: ['UnexpectedJob'] }],
    ['Allow', 'beside it', { creates: DUE, ...NEXT, events: ['UnexpectedJob'] }],
  ] as const)('%s: what was begun and never noted is %s', (concurrencyPolicy, _where, expected) => {
    const observed = observe({ concurrencyPolicy }, { now: AFTER });
    const { metadata, ...rest } = job('backup-1');
    const annotations = { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2016-05-19T09:00:00Z' };
    const forgotten = { ...rest, metadata: { ...metadata, annotations } };
    expect(outcome(decide({ ...observed, jobs: [forgotten] }, AFTER))).toEqual(expected);
  });

  test('beside one that somebody began by hand', () => {
    const observed = observe({ concurrencyPolicy: 'Forbid' }, { now: AFTER });
    const { create } = decide({ ...observed, jobs: [job('manual')] }, AFTER);
    expect(create?.metadata.name).toBe(jobName(observed.cronJob, DUE));
  });

  test('not while it is being deleted', () => {
    const observed = observe({}, { now: AFTER });
    const metadata = { ...observed.cronJob.metadata, deletionTimestamp: '2016-05-19T10:00:00Z' };
    const decision = decide({ ...observed, cronJob: { ...observed.cronJob, metadata } }, AFTER);
    expect(outcome(decision)).toEqual({});
  });
});
