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

/** Of a pod that was a shadow, and moves on. */
const SHADOW = /-shadow(-[0-9a-f]{8})?$/;

/** The shadow's name; if another pod has it, a unique one. That of a shadow is the name that it was made from. */
export function shadowName({ metadata: { uid }, spec }: StatefulMigration, isTaken: boolean): string {
  const { sourcePod } = spec;
  const base = sourcePod.replace(SHADOW, '');
  const name = base === sourcePod ? `${base}-shadow` : base;
  return isTaken ? `${base}-shadow-${uid.slice(0, 8)}` : name;
}
