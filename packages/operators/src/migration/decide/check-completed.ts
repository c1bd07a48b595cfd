import { controllerOf } from '@kubewright/kube';
import { type Decision, hasFinalizer } from '@kubewright/runtime';
import { FINALIZER, type MigrationStatus, type StatefulMigration } from '../api.ts';
import { isShadowStaying } from './is-shadow-staying.ts';
import type { LivePod, MigrationAction, ObservedMigration } from './observed-migration.ts';
import { hasName } from './checkpoint/keep-name.ts';
import { isEnding, replacementOf, replacementsIn, shadowOf } from './source-of.ts';
import { isOfNobody } from '../strategy.ts';
import { wasRestarted } from './was-restarted.ts';

/** What is left to do for a migration that is over. */
export function checkCompleted(
  observed: ObservedMigration,
  now: Date,
): Decision<MigrationAction, MigrationStatus> {
  const { migration } = observed;
  const late = madeTooLate(observed);
  if (late !== undefined) return late;
  if (hasFinalizer(migration, FINALIZER))
    return { reason: 'Release', action: { type: 'removeFinalizer', migration } };
  const pod = whoLostState(observed);
  if (pod === undefined) return expiry(migration, now);
  const owner = controllerOf(pod)?.kind ?? '';
  const message = `Pod ${pod.metadata.name} was restarted in place and has lost its state. It is deleted, so that its ${owner} creates one as usual`;
  return {
    reason: 'RestoredPodRestarted',
    action: { type: 'deletePod', pod },
    events: [{ type: 'Warning', reason: 'RestoredPodRestarted', message }],
  };
}

/**
 * A pod that the webhook had in hand as the migration ended waits for a state that will not come. In the place of the one that
 * took over there is such a pod when that one went at the last moment.
 */
function madeTooLate(observed: ObservedMigration): Decision<MigrationAction, MigrationStatus> | undefined {
  const { status } = observed.migration;
  const pod = replacementsIn(observed).find((one) => !isWanted(one, status));
  if (pod === undefined) return undefined;
  const reason = 'LatePodReplaced';
  if (isEnding(pod)) return hasName(pod) ? { reason, action: { type: 'freeName', pod } } : undefined;
  const message = `Pod ${pod.metadata.name} was made to wait for the state as the migration ended. It is replaced`;
  return {
    reason,
    action: { type: 'deletePod', pod },
    events: [{ type: 'Warning', reason: 'BlankPodReplaced', message }],
  };
}

/** Of one that nobody would make again, also without the state. */
function isWanted({ metadata }: LivePod, status: MigrationStatus = { handedOver: false }): boolean {
  const { phase, handover } = status;
  return metadata.uid === handover?.to.uid && (phase === 'Completed' || isOfNobody(status));
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
 * The pod that took over, if its container was restarted: it starts without a state, and may wait for one. A pod that its
 * controller creates outside of a migration starts as usual. One without a controller is left alone: nobody would create
 * another one.
 */
function whoLostState(observed: ObservedMigration): LivePod | undefined {
  const { status, metadata } = observed.migration;
  if (status?.phase !== 'Completed' || metadata.deletionTimestamp !== undefined) return undefined;
  const pod = isShadowStaying(status) ? shadowOf(observed) : replacementOf(observed, status);
  const isOurs = pod !== undefined && pod.metadata.uid === status.handover?.to.uid;
  return isOurs && isReplaceable(pod) && wasRestarted(pod, status) ? pod : undefined;
}

function isReplaceable(pod: LivePod): boolean {
  return controllerOf(pod) !== undefined && !isEnding(pod);
}
