import type { VolumeCaptureRequest } from '../api/volume-capture-request.ts';
import type { SnapshotContentStatus } from '../api/snapshots.ts';
import { ageOf } from '../requests/age-of.ts';
import type { Fault } from './volume-reason.ts';

type Patient = Pick<VolumeCaptureRequest, 'metadata'> & {
  readonly spec: Pick<VolumeCaptureRequest['spec'], 'externalErrorPolicy' | 'deadlineSeconds'>;
};

const DEFAULT_DEADLINE_SECONDS = 600;
/** Young requests are polled more often. */
const YOUNG_MS = 30_000;
const SOON_MS = 500;
const LATER_MS = 5000;

/** Whether a storage system error, which may be transient, ends the request at once. */
export function endsOnError({ spec }: Pick<Patient, 'spec'>): boolean {
  return spec.externalErrorPolicy !== 'UntilDeadline';
}

/** The fault of a request whose deadline has passed. */
export function deadlineFault(request: Patient, waitsFor: string, now: Date): Fault | undefined {
  const { deadlineSeconds = endsOnError(request) ? undefined : DEFAULT_DEADLINE_SECONDS } = request.spec;
  if (deadlineSeconds === undefined || ageOf(request, now) < deadlineSeconds * 1000) return undefined;
  return { reason: 'DeadlineExceeded', message: `not done after ${deadlineSeconds} s: ${waitsFor}` };
}

/** Milliseconds until the next poll. */
export function nextLook(request: Patient, now: Date): number {
  return ageOf(request, now) < YOUNG_MS ? SOON_MS : LATER_MS;
}

/** A sidecar lost a race for an object of the API server, and tries again: the storage system has reported nothing. */
const LOST_RACE = /Operation cannot be fulfilled on [^]*: the object has been modified/;

/** The storage system's error. A snapshot that is ready has none, even if an old error is still in its status. */
export function errorIn(status: SnapshotContentStatus | undefined): string | undefined {
  const { readyToUse, error } = status ?? {};
  const { message = '', time } = error ?? {};
  if (readyToUse === true || message === '' || LOST_RACE.test(message)) return undefined;
  return time === undefined ? message : `${message} (at ${time})`;
}
