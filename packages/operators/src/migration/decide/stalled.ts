import { type ConditionUpdate, isConditionTrue } from '@kubewright/kube';
import { FINALIZER, isTerminal, type MigrationStatus } from '../api.ts';
import { isSequential } from '../strategy.ts';
import type { ObservedMigration } from './observed-migration.ts';
import { isFirst } from './turn.ts';

/** From here on a migration goes forward only, and what fails is tried again. */
const FORWARD: ReadonlySet<string> = new Set(['ReplaceSource', 'TakeOver', 'SwitchOver', 'AwaitEnd']);

/** The condition, once it was True, and whenever it is. */
export function stalled(
  { migration, settings }: ObservedMigration,
  status: MigrationStatus,
  now: Date,
): readonly ConditionUpdate[] {
  const seconds = migration.spec.deadlines?.stepSeconds ?? settings.step;
  const isLate = !isTerminal(status) && (now.getTime() - waitingSince(status)) / 1000 > seconds;
  if (isLate)
    return [
      {
        type: 'Stalled',
        status: 'True',
        reason: 'DeadlineExceeded',
        message: `step ${status.step} is not done: ${status.message ?? 'no progress'}. ${remedyFor(status)}`,
      },
    ];
  const was = isConditionTrue(status.conditions ?? [], 'Stalled');
  return was ? [{ type: 'Stalled', status: 'False', reason: 'Progressing', message: '' }] : [];
}

/** Since when the step, or the phase, or all that is tried again and again is not done. Milliseconds. */
function waitingSince({ step, stepTime, phaseTime, steps = [], handedOver }: MigrationStatus): number {
  const forward = handedOver ? steps.find((one) => FORWARD.has(one.step))?.startTime : undefined;
  const times = [stepTime, phaseTime, forward].filter((time) => time !== undefined).map(Date.parse);
  return step === undefined ? Infinity : Math.min(...times, Infinity);
}

/** What a person can do. */
function remedyFor(status: MigrationStatus): string {
  const { handover, outcome, handedOver, sourceLost = false } = status;
  if (handover === undefined)
    return 'Nothing is begun: mend what it waits for, or delete the StatefulMigration';
  const giveUp = `To give up, remove the finalizer ${FINALIZER} and delete the StatefulMigration`;
  if (outcome !== undefined) return `It is undone as soon as that is so. ${giveUp}`;
  if (!handedOver && !sourceLost) return 'Mend what it waits for, or set spec.abort: the source goes on then';
  return `${holderOf(status, handover)}, and the migration completes as soon as that is so. ${giveUp} and the pods with its label: the state is lost then`;
}

function holderOf(status: MigrationStatus, handover: NonNullable<MigrationStatus['handover']>): string {
  const { committed, from, to, snapshot } = handover;
  if (committed) return `Pod ${to.pod} has the state`;
  if (isSequential(status)) return `The state is kept in ${snapshot?.queue ?? 'its checkpoint'}`;
  return isFirst(handover) ? `Pod ${to.pod} gets the state` : `Pod ${from.pod} has the state`;
}
