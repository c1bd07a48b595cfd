import { compareText, controllerOf, defined } from '@kubewright/kube';
import { EPOCH_ANNOTATION, type MigrationStatus, type StatefulMigration } from '../api.ts';
import { isSequential } from '../strategy.ts';
import type { LivePod, ObservedMigration } from './observed-migration.ts';
import { isEnding, isMarked } from './source-of.ts';

/** Who is in the place of the source, see {@link ObservedMigration}. */
export type Place = Pick<ObservedMigration, 'named' | 'surplus' | 'leaving'>;

/** A ReplicaSet makes another pod as soon as the source is to end, and gives it a name of its own. */
export function hasNewName(status: MigrationStatus): boolean {
  return status.handedOver && isSequential(status) && status.replicaSetUID !== undefined;
}

/**
 * Of the pods of a ReplicaSet: the source until it is to end; then the oldest that is to take over in this attempt, or one that
 * was made without being changed. Once it is on record which one takes over, it is that one or none.
 */
export function placeOf(pods: readonly LivePod[], migration: StatefulMigration): Place {
  const { status = { handedOver: false } } = migration;
  const own = pods.filter((pod) => isOwn(pod, migration, status)).toSorted(byAge);
  const source = own.find(({ metadata }) => metadata.uid === status.sourcePodUID);
  const named = inPlace(
    own.filter((pod) => isAlive(pod)),
    migration,
    status,
  );
  const surplus = own.filter(
    (pod) => pod !== named && pod !== source && !isEnding(pod) && isMarked(pod, migration, 'restored'),
  );
  const leaving = source !== undefined && isEnding(source) ? source : undefined;
  return { surplus, ...defined({ named, leaving }) };
}

function isOwn(pod: LivePod, migration: StatefulMigration, { replicaSetUID }: MigrationStatus): boolean {
  return controllerOf(pod)?.uid === replicaSetUID || isMarked(pod, migration, 'restored');
}

function inPlace(
  alive: readonly LivePod[],
  migration: StatefulMigration,
  { handover, sourcePodUID }: MigrationStatus,
): LivePod | undefined {
  const withUid = (uid: string | undefined) => alive.find(({ metadata }) => metadata.uid === uid);
  const { to, epoch } = handover ?? {};
  if (to?.uid !== undefined) return withUid(to.uid);
  const isMade = (pod: LivePod): boolean =>
    isMarked(pod, migration, 'restored') && pod.metadata.annotations?.[EPOCH_ANNOTATION] === String(epoch);
  return withUid(sourcePodUID) ?? alive.find((pod) => isMade(pod)) ?? alive[0];
}

/** Its ReplicaSet counts it: for one that has ended it makes another one. */
function isAlive(pod: LivePod): boolean {
  const { phase } = pod.status ?? {};
  return !isEnding(pod) && phase !== 'Failed' && phase !== 'Succeeded';
}

function byAge({ metadata: one }: LivePod, { metadata: other }: LivePod): number {
  const order = compareText(one.creationTimestamp ?? '', other.creationTimestamp ?? '');
  return order === 0 ? compareText(one.name, other.name) : order;
}
