import { defined, formatTime } from '@kubewright/kube';
import type { MigrationStatus, Phase } from '../api.ts';

/** A handover that is retried often drops its oldest entries. */
const MOST_ENTRIES = 64;

/** The status with the current step closed and the next one started. */
export function enterStep(
  status: MigrationStatus,
  step: string,
  phase: Phase,
  sub: string | undefined,
  now: Date,
): MigrationStatus {
  const time = formatTime(now);
  const { swapSubPhase: _left, message: _said, ...rest } = status;
  const entry = { step, epoch: status.handover?.epoch ?? 0, startTime: time };
  return {
    ...rest,
    phase,
    ...defined({ swapSubPhase: sub }),
    step,
    stepTime: time,
    ...(status.handover === undefined ? {} : { handover: withoutSent(status.handover) }),
    steps: [...closed(status, time), entry].slice(-MOST_ENTRIES),
  };
}

/** The status after the last step. */
export function endSteps(status: MigrationStatus, phase: Phase, now: Date): MigrationStatus {
  const time = formatTime(now);
  const { swapSubPhase: _sub, step: _step, stepTime: _time, ...rest } = status;
  return { ...rest, phase, completionTime: time, steps: closed(status, time) };
}

function closed({ steps = [] }: MigrationStatus, time: string): NonNullable<MigrationStatus['steps']> {
  return steps.map((entry) =>
    entry.completionTime === undefined ? { ...entry, completionTime: time } : entry,
  );
}

function withoutSent({ sent: _sent, ...handover }: NonNullable<MigrationStatus['handover']>) {
  return handover;
}

/** Seconds since the current step started. */
export function secondsInStep({ stepTime }: MigrationStatus, now: Date): number {
  return stepTime === undefined ? 0 : (now.getTime() - Date.parse(stepTime)) / 1000;
}
