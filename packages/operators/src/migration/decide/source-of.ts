import { controllerOf, type corev1, isConditionTrue, type Stored } from '@kubewright/kube';
import { EPOCH_ANNOTATION, LABELS, type MigrationStatus, ROLES, type StatefulMigration } from '../api.ts';
import type { LivePod, ObservedMigration } from './observed-migration.ts';

/** Whether the pod is labelled for this migration, in this role. */
export function isMarked(
  { metadata: { labels = {} } }: LivePod,
  { metadata: { uid } }: StatefulMigration,
  role: keyof typeof ROLES,
): boolean {
  return labels[LABELS.migration] === uid && labels[LABELS.role] === ROLES[role];
}

/** The source pod, while it exists. */
export function sourceOf(
  { named, migration }: ObservedMigration,
  status: MigrationStatus,
): LivePod | undefined {
  const isSource = named !== undefined && named.metadata.uid === status.sourcePodUID;
  return isSource && !isMarked(named, migration, 'restored') ? named : undefined;
}

/** The pod with the shadow's name, if it is this migration's; also once it is nobody's shadow any more. */
export function shadowOf({ shadow, migration }: ObservedMigration): LivePod | undefined {
  const isOurs =
    shadow !== undefined &&
    (isMarked(shadow, migration, 'shadow') || isMarked(shadow, migration, 'restored'));
  return isOurs ? shadow : undefined;
}

/** Who makes another pod in the place of one of its own; undefined: nobody. */
export function makerOf({ statefulSetUID, replicaSetUID }: MigrationStatus): string | undefined {
  return statefulSetUID ?? replicaSetUID;
}

/** The pod that was made in the place of the source, for this handover: by its controller, or else by us. */
export function replacementOf(
  { named, migration }: ObservedMigration,
  status: MigrationStatus,
): LivePod | undefined {
  if (named === undefined || !isMarked(named, migration, 'restored')) return undefined;
  const isWhose = controllerOf(named)?.uid === makerOf(status);
  return isWhose && isOfHandover(named, status.handover) ? named : undefined;
}

/** The pods that were created to take over, in whichever handover. */
export function replacementsIn({ named, surplus = [], migration }: ObservedMigration): readonly LivePod[] {
  const all = named === undefined ? surplus : [named, ...surplus];
  return all.filter(
    (pod) => isMarked(pod, migration, 'restored') && pod.metadata.uid !== migration.status?.sourcePodUID,
  );
}

/** Of a process, also by the image of its checkpoint. */
function isOfHandover({ metadata, spec }: LivePod, handover: MigrationStatus['handover']): boolean {
  const image = handover?.checkpoint?.image;
  const isRestored = image === undefined || spec.containers.some((one) => one.image === image);
  return isRestored && metadata.annotations?.[EPOCH_ANNOTATION] === String(handover?.epoch);
}

export function isEnding({ metadata }: LivePod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Running and not being deleted. */
export function isRunning(pod: LivePod): boolean {
  return !isEnding(pod) && pod.status?.phase === 'Running';
}

export function isReadyNode({ status }: Stored<corev1.Node>): boolean {
  return isConditionTrue(status?.conditions as never, 'Ready');
}

/** Why a pod is not running, from its status. */
export function pendingReason({ metadata, status = {} }: LivePod): string {
  const waiting = (status.containerStatuses ?? []).map(({ state }) => state?.waiting?.reason ?? '');
  const unscheduled = (status.conditions ?? []).find(
    ({ type, status: is }) => type === 'PodScheduled' && is === 'False',
  );
  const why = [...waiting, unscheduled?.message ?? '', status.reason ?? ''].find((text) => text !== '');
  return `pod ${metadata.name} is ${status.phase ?? 'Pending'}${why === undefined ? '' : `: ${why}`}`;
}

/** A message if another migration has locked the pod. A lock of a finished or deleted migration does not count. */
export function lockedBy(
  { migration, others }: ObservedMigration,
  { metadata }: LivePod,
): string | undefined {
  const holder = metadata.labels?.[LABELS.migration];
  const other = others.find(({ metadata: { uid } }) => uid === holder && uid !== migration.metadata.uid);
  return other === undefined ? undefined : `pod ${metadata.name} is being migrated by ${other.metadata.name}`;
}
