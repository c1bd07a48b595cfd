import { type Decision, hasFinalizer } from '@kubewright/runtime';
import { FINALIZER, type MigrationStatus, type StatefulMigration } from '../api.ts';
import type { MigrationAction, ObservedMigration } from './observed-migration.ts';
import { isEnding, replacementOf } from './source-of.ts';
import { wasRestarted } from './was-restarted.ts';

/** What is left to do for a migration that is over. */
export function checkCompleted(
  observed: ObservedMigration,
  now: Date,
): Decision<MigrationAction, MigrationStatus> {
  const { migration, named } = observed;
  if (hasFinalizer(migration, FINALIZER))
    return { reason: 'Release', action: { type: 'removeFinalizer', migration } };
  if (named === undefined || !hasLostState(observed)) return expiry(migration, now);
  const message = `Pod ${named.metadata.name} was restarted in place and has lost its state. It is deleted, so that its StatefulSet creates it as usual`;
  return {
    reason: 'RestoredPodRestarted',
    action: { type: 'deletePod', pod: named },
    events: [{ type: 'Warning', reason: 'RestoredPodRestarted', message }],
  };
}

/** The object is deleted when its time is over. */
function expiry(migration: StatefulMigration, now: Date): Decision<MigrationAction, MigrationStatus> {
  const { spec, status, metadata } = migration;
  const { ttlSecondsAfterFinished: ttl } = spec;
  const end = Date.parse(status?.completionTime ?? '');
  if (ttl === undefined || Number.isNaN(end) || metadata.deletionTimestamp !== undefined)
    return { reason: 'Over' };
  const ms = end + ttl * 1000 - now.getTime();
  if (ms > 0) return { reason: 'Over', requeueAfter: ms };
  return { reason: 'Expired', action: { type: 'deleteMigration', migration } };
}

/**
 * The pod that took over starts without a state, and waits for one, whenever its container restarts. Only a pod that its
 * StatefulSet creates outside of a migration starts as usual.
 */
function hasLostState(observed: ObservedMigration): boolean {
  const { status, metadata } = observed.migration;
  if (status?.phase !== 'Completed' || metadata.deletionTimestamp !== undefined) return false;
  const pod = replacementOf(observed, status);
  const isOurs = pod !== undefined && !isEnding(pod) && pod.metadata.uid === status.handover?.to.uid;
  return isOurs && wasRestarted(pod, status);
}
