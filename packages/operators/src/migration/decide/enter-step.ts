import { defined, formatTime } from '@kubewright/kube';
import type { Adoption, MigrationStatus, Phase } from '../api.ts';
import { progressOf } from './progress-of.ts';
import type { StepName } from './step-name.ts';

/** A handover that is retried often drops its oldest entries. */
const MOST_ENTRIES = 64;

/** What people see of a step. */
export type Shown = {
  readonly phase: Phase;
  readonly sub?: string | undefined;
  readonly adoption?: Adoption | undefined;
};

/** The status with the current step closed and the next one started. */
export function enterStep(
  status: MigrationStatus,
  step: StepName,
  { phase, sub, adoption }: Shown,
  now: Date,
): MigrationStatus {
  const time = formatTime(now);
  const {
    swapSubPhase: _left,
    adoptionSubPhase: _adopted,
    message: _said,
    estimatedCompletionTime: _estimated,
    ...rest
  } = status;
  const entry = { step, epoch: status.handover?.epoch ?? 0, startTime: time };
  const entered: MigrationStatus = {
    ...rest,
    ...timed(status, phase, now),
    ...defined({ swapSubPhase: sub, adoptionSubPhase: adoption }),
    progress: status.progress ?? 0,
    step,
    stepTime: time,
    ...(status.handover === undefined ? {} : { handover: withoutSent(status.handover) }),
    steps: [...closed(status, time), entry].slice(-MOST_ENTRIES),
  };
  return { ...entered, ...progressOf(step, entered, now) };
}

/** The status after the last step. */
export function endSteps(status: MigrationStatus, phase: Phase, now: Date): MigrationStatus {
  const time = formatTime(now);
  const {
    swapSubPhase: _sub,
    step: _step,
    stepTime: _time,
    phaseTime: _since,
    estimatedCompletionTime: _estimated,
    ...rest
  } = {
    ...status,
    ...timed(status, phase, now),
  };
  const isWhole = phase === 'Completed' && status.handover !== undefined;
  return {
    ...rest,
    ...(isWhole ? { progress: 100 } : {}),
    completionTime: time,
    steps: closed(status, time),
  };
}

/** The phase, and how long the one before it took. */
function timed(
  { phase: last, phaseTime, phaseTimings }: MigrationStatus,
  phase: Phase,
  now: Date,
): Pick<MigrationStatus, 'phase' | 'phaseTime' | 'phaseTimings'> {
  if (last === undefined || phaseTime === undefined) return { phase, phaseTime: formatTime(now) };
  if (last === phase) return { phase };
  const took = goDuration((now.getTime() - Date.parse(phaseTime)) / 1000);
  return { phase, phaseTime: formatTime(now), phaseTimings: { ...phaseTimings, [last]: took } };
}

/** Whole seconds, as Go prints a duration: 1h0m12s. */
function goDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const parts = [...(hours > 0 ? [`${hours}h`] : []), ...(whole >= 60 ? [`${minutes}m`] : [])];
  return `${parts.join('')}${whole % 60}s`;
}

function closed({ steps = [] }: MigrationStatus, time: string): NonNullable<MigrationStatus['steps']> {
  return steps.map((entry) =>
    entry.completionTime === undefined ? { ...entry, completionTime: time } : entry,
  );
}

function withoutSent({
  sent: _sent,
  sentTime: _time,
  ...handover
}: NonNullable<MigrationStatus['handover']>) {
  return handover;
}

/** Seconds since the current step started. */
export function secondsInStep({ stepTime }: MigrationStatus, now: Date): number {
  return stepTime === undefined ? 0 : (now.getTime() - Date.parse(stepTime)) / 1000;
}
