import { formatTime } from '@kubewright/kube';
import type { MigrationStatus } from '../api.ts';
import { type Context, handoverWith } from './turn.ts';

/**
 * A broker that is killed forgets the queue of a process that has just started, with a command that was sent to it. Processes ignore
 * a command that they have had, so one that has no effect for so long is sent again.
 */
export const AGAIN_SECONDS = 10;

/** A command of this step was sent. */
export function sentIn(context: Context): Partial<MigrationStatus> {
  return handoverWith(context, { sent: context.status.step ?? '', sentTime: formatTime(context.now) });
}

/** Since the command of this step was sent, in whole seconds; undefined: it was not. */
export function secondsSinceSent({ status, handover, now }: Context): number | undefined {
  const { sent, sentTime = status.stepTime ?? '' } = handover;
  return sent === status.step ? (now.getTime() - Date.parse(sentTime)) / 1000 : undefined;
}
