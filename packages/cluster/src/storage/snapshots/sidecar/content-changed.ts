import { jsonEqual } from '@kubewright/kube';
import type { Predicate } from '@kubewright/runtime';
import type { VolumeSnapshotContent } from '../api.ts';
import { BEING_CREATED, unmarked } from '../marks.ts';

/**
 * More than the mark of the sidecar itself has changed. Each attempt sets and removes the mark: an attempt that failed
 * would be repeated for these events at once, without back-off. csi-snapshotter ignores them too.
 */
export const contentChanged: Predicate<VolumeSnapshotContent> = (event) =>
  event.type !== 'Update' || !jsonEqual(withoutMark(event.old), withoutMark(event.object));

function withoutMark(content: VolumeSnapshotContent): VolumeSnapshotContent {
  const { resourceVersion: _version, managedFields: _managers, ...metadata } = content.metadata;
  return unmarked({ ...content, metadata }, BEING_CREATED);
}
