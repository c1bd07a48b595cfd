import { mirrorQueue, snapshotQueue } from '@kubewright/migratable';
import type { StatefulMigration } from './api.ts';

/**
 * The queue that receives a copy of the source queue's messages. The epoch keeps a stale operator from deleting a later
 * one.
 */
export function mirrorName({ metadata: { uid }, spec }: StatefulMigration, epoch: number): string {
  return mirrorQueue(spec.messageQueueConfig.queueName, uid, epoch);
}

/** The queue that transfers the state from one pod to the next. */
export function snapshotName({ metadata: { uid } }: StatefulMigration, epoch: number): string {
  return snapshotQueue(uid, { epoch, step: SNAPSHOT });
}

/** The command step of the only snapshot of a handover. */
const SNAPSHOT = 2;

/** The shadow's name; if another pod has it, a unique one. */
export function shadowName({ metadata: { uid }, spec }: StatefulMigration, isTaken: boolean): string {
  return isTaken ? `${spec.sourcePod}-shadow-${uid.slice(0, 8)}` : `${spec.sourcePod}-shadow`;
}
