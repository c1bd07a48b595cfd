import { formatTime, parseTime, setCondition } from '@kubewright/kube';
import type { CronSchedule } from '@kubewright/kube/schedule';
import type { Decision, Refusal } from '@kubewright/runtime';
import type { CaptureSchedule, CaptureScheduleStatus } from '../api/capture-schedule.ts';
import { authorFaultIfInstalled } from '../authority/read-author.ts';
import { clockOf, dueRun, jitterOf, nextRun } from './due-run.ts';
import { type NewRequest, newRequests } from './new-request.ts';
import type { MadeRequest, ObservedSchedule } from './observed-schedule.ts';
import { oldRequests, successfulRuns } from './old-requests.ts';

/** One write. */
export type ScheduleAction =
  | { readonly type: 'create'; readonly request: NewRequest }
  | { readonly type: 'delete'; readonly namespace: string; readonly request: MadeRequest };

export type ScheduleDecision = Decision<ScheduleAction, CaptureScheduleStatus>;

/** Timers may be a little early. */
const PADDING_MS = 100;
const REJECTED_MS = 60_000;
/** The longest delay of a Node.js timer is 24 days; ages of runs are looked at once an hour. */
const LONGEST_MS = 3_600_000;

/** The next write for a schedule. */
export function decide(observed: ObservedSchedule, date: Date): ScheduleDecision {
  const { schedule, author } = observed;
  const now = date.getTime();
  if (schedule.metadata.deletionTimestamp !== undefined) return { reason: 'Deleted' };
  const fault = authorFaultIfInstalled(author);
  if (fault !== undefined) return idle(observed, { reason: 'AuthorNotChecked', message: fault }, now);
  if (schedule.spec.suspend)
    return idle(observed, { reason: 'Suspended', message: 'spec.suspend is true' }, now);
  const clock = clockOf(schedule);
  if ('problem' in clock) return idle(observed, { reason: 'InvalidSchedule', message: clock.problem }, now);
  const [old] = oldRequests(schedule, observed.requests, now);
  if (old !== undefined) return { reason: 'DeleteOld', action: remove(schedule, old) };
  return decideRun(observed, clock, now);
}

function decideRun(observed: ObservedSchedule, clock: CronSchedule, now: number): ScheduleDecision {
  const { schedule, requests, claims } = observed;
  const time = dueRun(schedule, clock, now);
  if (time === undefined) return waiting(observed, clock, now);
  if ('problem' in claims) return idle(observed, { reason: 'InvalidSelector', message: claims.problem }, now);
  const wanted = newRequests(schedule, claims, time);
  const isBegun = requests.some((request) => request.time === time);
  if (!isBegun && isTooLate(schedule, time, now)) return missed(observed, clock, time, now);
  const running = requests.find((request) => request.state === 'running' && request.time !== time);
  const { concurrencyPolicy } = schedule.spec;
  if (running !== undefined && concurrencyPolicy === 'Replace')
    return { reason: 'Replace', action: remove(schedule, running) };
  if (running !== undefined && concurrencyPolicy === 'Forbid')
    return { ...waiting(observed, clock, now), reason: 'WaitForRunning' };
  const names = new Set(requests.map(({ name }) => name));
  const missing = wanted.find(({ metadata }) => !names.has(metadata.name));
  if (missing !== undefined) return { reason: 'CreateRequest', action: { type: 'create', request: missing } };
  return begun(observed, clock, { time, count: wanted.length }, now);
}

function isTooLate({ spec, ...schedule }: CaptureSchedule, time: number, now: number): boolean {
  const { startingDeadlineSeconds = Number.POSITIVE_INFINITY } = spec;
  return now > time + jitterOf({ ...schedule, spec }) + startingDeadlineSeconds * 1000;
}

function missed(
  observed: ObservedSchedule,
  clock: CronSchedule,
  time: number,
  now: number,
): ScheduleDecision {
  const lastMissedTime = formatTime(new Date(time));
  const message = `the run of ${lastMissedTime} was left out: it could not begin in time`;
  return {
    ...waiting(noted(observed, { lastMissedTime }), clock, now),
    reason: 'Missed',
    events: [{ type: 'Warning', reason: 'RunMissed', message }],
  };
}

function begun(
  observed: ObservedSchedule,
  clock: CronSchedule,
  { time, count }: { readonly time: number; readonly count: number },
  now: number,
): ScheduleDecision {
  const lastScheduleTime = formatTime(new Date(time));
  const message = `${count} requests of the run of ${lastScheduleTime} are made`;
  return {
    ...waiting(noted(observed, { lastScheduleTime }), clock, now),
    reason: 'RunBegun',
    events: [{ type: 'Normal', reason: 'RunBegun', message }],
  };
}

/** The state once this is written. */
function noted(observed: ObservedSchedule, more: CaptureScheduleStatus): ObservedSchedule {
  const { schedule } = observed;
  return { ...observed, schedule: { ...schedule, status: { ...schedule.status, ...more } } };
}

/** Until the next run, or until an old one has to go. */
function waiting(observed: ObservedSchedule, clock: CronSchedule, now: number): ScheduleDecision {
  const { schedule } = observed;
  const next = nextRun(clock, schedule, now);
  if (next === undefined)
    return idle(observed, { reason: 'NeverDue', message: `${schedule.spec.schedule} is never due` }, now);
  const status = statusOf(observed, { status: 'True', reason: 'Scheduled', message: '' }, now);
  const left = next + jitterOf(schedule) + PADDING_MS - now;
  return {
    reason: 'Scheduled',
    status: { ...status, nextScheduleTime: formatTime(new Date(next)) },
    requeueAfter: Math.max(PADDING_MS, Math.min(left, LONGEST_MS)),
  };
}

/** Nothing is made and nothing is deleted. */
function idle(
  observed: ObservedSchedule,
  why: { readonly reason: string; readonly message: string },
  now: number,
): ScheduleDecision {
  const { nextScheduleTime: _never, ...status } = statusOf(observed, { status: 'False', ...why }, now);
  return { reason: why.reason, status };
}

/** A request that the server rejects is tried again: rights come back, and quotas are raised. */
export function refusedSchedule(
  observed: ObservedSchedule,
  { message }: Refusal,
  now: Date,
): Decision<never, CaptureScheduleStatus> {
  const status = statusOf(observed, { status: 'False', reason: 'Rejected', message }, now.getTime());
  return {
    reason: 'Rejected',
    status,
    requeueAfter: REJECTED_MS,
    events: [{ type: 'Warning', reason: 'Rejected', message }],
  };
}

type Ready = { readonly status: 'True' | 'False'; readonly reason: string; readonly message: string };

function statusOf(
  { schedule, requests }: ObservedSchedule,
  ready: Ready,
  now: number,
): CaptureScheduleStatus {
  const { status = {} } = schedule;
  const succeeded = successfulRuns(begunOnly(schedule, requests));
  const known = status.lastSuccessTime === undefined ? 0 : parseTime(status.lastSuccessTime).getTime();
  const last = Math.max(known, succeeded[0]?.time ?? 0);
  const conditions = setCondition(
    status.conditions ?? [],
    { type: 'Ready', ...ready },
    formatTime(new Date(now)),
  );
  return {
    ...status,
    ...(last === 0 ? {} : { lastSuccessTime: formatTime(new Date(last)) }),
    active: requests.filter(({ state }) => state === 'running').length,
    kept: succeeded.length,
    conditions,
  };
}

/** A run of which not all requests are made yet has not succeeded. */
function begunOnly({ status }: CaptureSchedule, requests: readonly MadeRequest[]): readonly MadeRequest[] {
  const { lastScheduleTime } = status ?? {};
  const begunUntil = lastScheduleTime === undefined ? 0 : parseTime(lastScheduleTime).getTime();
  return requests.filter(({ time }) => time <= begunUntil);
}

function remove({ metadata: { namespace } }: CaptureSchedule, request: MadeRequest): ScheduleAction {
  return { type: 'delete', namespace, request };
}
