// The queues of an application that is not of the SDK, as the original system names them.

import type { MigrationStatus, StatefulMigration } from './api.ts';
import type { QueueFacts } from './brokers/broker.ts';
import { isSequential } from './strategy.ts';
import { mirrorName, snapshotName } from './mirror-name.ts';

/** The process reads the name of its pod from /etc/hostname, and declares this queue itself. */
export const processControlQueue = (pod: string): string => `ms2m.control.${pod}`;

/** In this queue of a process: consume that queue instead of the primary one. */
export const startReplay = (queue: string) => ({ type: 'START_REPLAY', payload: { queue } }) as const;
/** Consume the primary queue. */
export const END_REPLAY = { type: 'END_REPLAY' } as const;

export type ProcessCommand = ReturnType<typeof startReplay> | typeof END_REPLAY;

/** Whether the migration moves the process itself, by a checkpoint, and not what an application of the SDK knows. */
export function isOfProcess({ backend }: MigrationStatus): boolean {
  return backend === 'Checkpoint';
}

/**
 * Whether the name of the source is kept until its successor has a command. A StatefulSet makes a pod as soon as the name is
 * free; if the webhook is not called for it, its process, without the state, would take messages that nobody gives back.
 */
export function isNameKept(status: MigrationStatus): boolean {
  return isOfProcess(status) && status.statefulSetUID !== undefined;
}

/** The hold queues of all handovers so far: a process that consumes such a queue, which is empty, stands still. */
export function holdQueues(migration: StatefulMigration, { handover }: MigrationStatus): readonly string[] {
  const epochs = Array.from({ length: handover?.epoch ?? 0 }, (_, index) => index + 1);
  return epochs.map((epoch) => mirrorName(migration, epoch));
}

/** Whether an application of the original system has declared the queue by the name of its pod. */
export function hasControlQueue(
  { spec }: StatefulMigration,
  { queues }: { readonly queues?: ReadonlyMap<string, QueueFacts> },
): boolean {
  return queues?.has(processControlQueue(spec.sourcePod)) === true;
}

/** The queues whose facts decisions need. */
export function observedQueues(migration: StatefulMigration): readonly string[] {
  const { spec, status = { handedOver: false } } = migration;
  if (status.handover === undefined) return [processControlQueue(spec.sourcePod)];
  const { from, to, mirror, committed } = status.handover;
  // They matter until the handover; later they are deleted, and each look would ask for what is not there.
  if (isOfProcess(status)) return [mirror, ...[spec.sourcePod, from.pod, to.pod].map(processControlQueue)];
  if (isSequential(status)) return status.handedOver ? [] : [snapshotName(migration, status.handover.epoch)];
  return committed ? [] : [mirror, ...restoredFrom(status)];
}

/** Of the snapshot; no other step waits for it. */
function restoredFrom({ step, handover }: MigrationStatus): readonly string[] {
  const queue = handover?.snapshot?.queue;
  return step === 'Restore' && queue !== undefined ? [queue] : [];
}
