import { parseDuration } from '../../kit/parse-duration.ts';
import type { CaptureSchedule } from '../api/capture-schedule.ts';
import type { MadeRequest } from './observed-schedule.ts';

type Run = { readonly time: number; readonly requests: readonly MadeRequest[] };

/** The runs of these requests, the newest first. */
function runsOf(requests: readonly MadeRequest[]): readonly Run[] {
  const byTime = new Map<number, MadeRequest[]>();
  for (const request of requests) byTime.set(request.time, [...(byTime.get(request.time) ?? []), request]);
  return [...byTime].map(([time, made]) => ({ time, requests: made })).toSorted((a, b) => b.time - a.time);
}

const isWhole =
  (state: MadeRequest['state']) =>
  ({ requests }: Run) =>
    requests.every((request) => request.state === state);

/** The runs of which everything was captured, the newest first. */
export function successfulRuns(requests: readonly MadeRequest[]): readonly Run[] {
  return runsOf(requests).filter(isWhole('succeeded'));
}

/** Requests of runs that are no longer kept, the oldest first. The newest run that has succeeded is always kept. */
export function oldRequests(
  { spec }: CaptureSchedule,
  requests: readonly MadeRequest[],
  now: number,
): readonly MadeRequest[] {
  const { count, age } = spec.retention;
  const oldest = age === undefined ? 0 : now - (parseDuration(age) ?? 0);
  const succeeded = successfulRuns(requests);
  const failed = runsOf(requests).filter(
    (run) => !isWhole('succeeded')(run) && run.requests.every(({ state }) => state !== 'running'),
  );
  const old = [
    ...succeeded.filter(({ time }, index) => index >= count || (index > 0 && time < oldest)),
    ...failed.filter(({ time }, index) => index >= count || time < oldest),
  ];
  return old.toSorted((a, b) => a.time - b.time).flatMap((run) => run.requests);
}
