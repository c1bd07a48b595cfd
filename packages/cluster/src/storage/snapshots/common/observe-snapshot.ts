import { corev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import {
  SNAPSHOT_GROUP,
  type VolumeSnapshot,
  volumesnapshotclasses,
  volumesnapshotcontents,
  volumesnapshots,
} from '../api.ts';
import { contentNameOf } from './decide-creation.ts';
import { isReady } from './decide-snapshot.ts';
import type { ObservedSnapshot } from './snapshot-step.ts';

export function observeSnapshot(cache: Cache, request: Request): ObservedSnapshot | undefined {
  const snapshot = cache.get(volumesnapshots, request);
  if (snapshot === undefined) return undefined;
  const { namespace } = snapshot.metadata;
  const { persistentVolumeClaimName: claimName } = snapshot.spec.source;
  const claim =
    claimName === undefined
      ? undefined
      : cache.get(corev1.persistentvolumeclaims, { namespace, name: claimName });
  const volumeName = claim?.spec.volumeName ?? '';
  return {
    snapshot,
    content: cache.get(volumesnapshotcontents, { name: contentOf(snapshot) }),
    claim,
    volume: volumeName === '' ? undefined : cache.get(corev1.persistentvolumes, { name: volumeName }),
    classes: cache.list(volumesnapshotclasses),
    claimIsUsed: claimName !== undefined && othersOf(cache, snapshot, claimName).some((one) => !isReady(one)),
    isBeingRestored: isBeingRestored(cache, snapshot),
  };
}

function contentOf(snapshot: Stored<VolumeSnapshot>): string {
  const { spec, status } = snapshot;
  return (
    status?.boundVolumeSnapshotContentName ?? spec.source.volumeSnapshotContentName ?? contentNameOf(snapshot)
  );
}

function othersOf(cache: Cache, { metadata }: VolumeSnapshot, claimName: string): readonly VolumeSnapshot[] {
  return cache
    .list(volumesnapshots, { namespace: metadata.namespace })
    .filter(({ metadata: { name } }) => name !== metadata.name)
    .filter(({ spec }) => spec.source.persistentVolumeClaimName === claimName);
}

function isBeingRestored(cache: Cache, { metadata }: VolumeSnapshot): boolean {
  return cache
    .list(corev1.persistentvolumeclaims, { namespace: metadata.namespace })
    .some(({ spec, status }) => {
      const { kind, name, apiGroup } = spec.dataSource ?? { kind: '', name: '' };
      const isIt = kind === 'VolumeSnapshot' && apiGroup === SNAPSHOT_GROUP && name === metadata.name;
      return isIt && status?.phase === 'Pending';
    });
}
