import type { VolumeSnapshot, VolumeSnapshotContent } from '../api.ts';
import {
  BEING_DELETED,
  BOUND_FINALIZER,
  CONTENT_FINALIZER,
  has,
  isDying,
  isMarked,
  marked,
  SOURCE_FINALIZER,
  withFinalizers,
} from '../marks.ts';

/**
 * What the snapshot controller does about a content: undefined for nothing, else the content as it should be. `snapshot`
 * is the one that it is for. A content whose snapshot does not exist is only kept from vanishing.
 */
export function decideContent(
  content: VolumeSnapshotContent,
  snapshot: VolumeSnapshot | undefined,
): VolumeSnapshotContent | undefined {
  if (isUnmet(content)) return undefined;
  if (!isDying(content) && !has(content, CONTENT_FINALIZER))
    return withFinalizers(content, CONTENT_FINALIZER);
  const ends = snapshot !== undefined && isEnding(snapshot) && !isMarked(content, BEING_DELETED);
  return ends ? marked(content, BEING_DELETED) : undefined;
}

/** For a snapshot that has not come yet. */
function isUnmet({ spec }: VolumeSnapshotContent): boolean {
  const { uid = '' } = spec.volumeSnapshotRef ?? {};
  return uid === '';
}

const isEnding = (snapshot: VolumeSnapshot): boolean =>
  isDying(snapshot) && (has(snapshot, BOUND_FINALIZER) || has(snapshot, SOURCE_FINALIZER));
