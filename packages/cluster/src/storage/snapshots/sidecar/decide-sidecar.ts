import type { SnapshotOrder } from '../../backend/storage-backend.ts';
import type { VolumeSnapshotClass, VolumeSnapshotContent } from '../api.ts';
import { BEING_CREATED, BEING_DELETED, CONTENT_FINALIZER, has, isDying, isMarked } from '../marks.ts';

/** What the driver's side does next about a content. */
export type SidecarStep =
  | { readonly type: 'none' }
  /** Asks the storage system for a snapshot, which exists already if it was asked before. */
  | { readonly type: 'create'; readonly order: SnapshotOrder; readonly isFirst: boolean }
  | { readonly type: 'fail'; readonly message: string; readonly isFirst: boolean }
  /** Looks at a snapshot that was there before its content. */
  | { readonly type: 'look'; readonly handle: string }
  | { readonly type: 'delete'; readonly handle: string }
  /** The storage system has responded, or holds nothing any more. */
  | { readonly type: 'settle' | 'release' };

const NONE: SidecarStep = { type: 'none' };

/** `snapshotClass`: the one that the content names, if it is there. */
export function decideSidecar(
  content: VolumeSnapshotContent,
  snapshotClass: VolumeSnapshotClass | undefined,
): SidecarStep {
  if (shouldDelete(content)) return decideDeletion(content);
  if (content.status?.readyToUse === true)
    return isMarked(content, BEING_CREATED) ? { type: 'settle' } : NONE;
  const snapshotHandle = knownHandle(content);
  // Deleted before anything was asked for: nothing is begun.
  if (isDying(content) && !isMarked(content, BEING_CREATED)) return NONE;
  return snapshotHandle === undefined
    ? decideCreation(content, snapshotClass)
    : { type: 'look', handle: snapshotHandle };
}

/**
 * Of a snapshot that is only looked at: one that was there before, or that was ordered. A further order would be marked
 * and unmarked, and each mark is an event on which it is ordered again.
 */
function knownHandle(content: VolumeSnapshotContent): string | undefined {
  const { snapshotHandle } = content.spec.source;
  return snapshotHandle ?? (isMarked(content, BEING_CREATED) ? undefined : content.status?.snapshotHandle);
}

/** While the storage system has not responded, what there is to delete is unknown. */
function shouldDelete(content: VolumeSnapshotContent): boolean {
  if (!isDying(content)) return false;
  const { volumeSnapshotRef: ref = {}, source } = content.spec;
  if (source.snapshotHandle !== undefined && (ref.uid ?? '') === '') return true;
  if (isMarked(content, BEING_CREATED)) return false;
  return isMarked(content, BEING_DELETED);
}

function decideDeletion(content: VolumeSnapshotContent): SidecarStep {
  const handle = content.status?.snapshotHandle;
  if (content.spec.deletionPolicy === 'Delete' && handle !== undefined) return { type: 'delete', handle };
  return has(content, CONTENT_FINALIZER) ? { type: 'release' } : NONE;
}

function decideCreation(
  { metadata, spec, status }: VolumeSnapshotContent,
  snapshotClass: VolumeSnapshotClass | undefined,
): SidecarStep {
  const { volumeSnapshotClassName: className, source } = spec;
  const isFirst = status === undefined;
  const fail = (message: string): SidecarStep => ({ type: 'fail', message, isFirst });
  // The storage system's snapshot is named after the VolumeSnapshot, which need not exist.
  const { uid = '' } = spec.volumeSnapshotRef ?? {};
  if (uid === '')
    return fail(`cannot call CreateSnapshot. Snapshot content ${metadata.name} not bound to a snapshot`);
  if (className !== undefined && snapshotClass === undefined) {
    const why = JSON.stringify(`volumesnapshotclass.snapshot.storage.k8s.io "${className}" not found`);
    return fail(`failed to get input parameters to create snapshot for content ${metadata.name}: ${why}`);
  }
  const parameters = snapshotClass?.parameters ?? {};
  const order = { name: `snapshot-${uid}`, volumeHandle: source.volumeHandle ?? '', parameters };
  return { type: 'create', order, isFirst };
}
