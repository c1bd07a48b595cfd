import { mirrorQueue, snapshotQueue } from '@kubewright/migratable';
import type { StatefulMigration } from './api.ts';

/** The queue that gets what the source pod's queue gets. With the epoch: an operator that is behind deletes no later one. */
export function mirrorName({ metadata: { uid }, spec }: StatefulMigration, epoch: number): string {
  return mirrorQueue(spec.messageQueueConfig.queueName, uid, epoch);
}

/** The queue that carries the state from one pod to the next. */
export function snapshotName({ metadata: { uid } }: StatefulMigration, epoch: number): string {
  return snapshotQueue(uid, { epoch, step: SNAPSHOT });
}

/** Of a handover there is one snapshot. */
const SNAPSHOT = 2;

/** The name of the shadow; where somebody else's pod has it, one that nobody has. */
export function shadowName({ metadata: { uid }, spec }: StatefulMigration, isTaken: boolean): string {
  return isTaken ? `${spec.sourcePod}-shadow-${uid.slice(0, 8)}` : `${spec.sourcePod}-shadow`;
}
