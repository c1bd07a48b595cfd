import { corev1, type storagev1, type Stored } from '@kubewright/kube';
import type { Cache } from '@kubewright/runtime';
import {
  SNAPSHOT_GROUP,
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumesnapshotcontents,
  volumesnapshots,
} from '../snapshots/api.ts';
import { bytesOf, sizeOf } from './decide-provision.ts';
import type { VolumeSource } from '../backend/storage-backend.ts';
import type { Claim, ObservedSource, Volume } from './provision-step.ts';

const unfit = (why: string): ObservedSource => ({ type: 'unfit', why });

/** The source of a claim's data, with the words of external-provisioner for what is wrong with it. */
export function sourceOf(
  cache: Cache,
  claim: Claim,
  storageClass: Stored<storagev1.StorageClass>,
): ObservedSource {
  const { dataSource, dataSourceRef } = claim.spec;
  const source = dataSource ?? dataSourceRef;
  if (source === undefined) return { type: 'none' };
  const { kind, name } = source;
  // Go writes null for no group.
  const apiGroup = source.apiGroup ?? '';
  if (kind === 'PersistentVolumeClaim' && apiGroup === '')
    return claimSource(cache, { claim, name }, storageClass);
  if (kind === 'VolumeSnapshot' && apiGroup === SNAPSHOT_GROUP)
    return snapshotSource(cache, { claim, name }, storageClass);
  return { type: 'foreign' };
}

type Asked = { readonly claim: Claim; readonly name: string };

function claimSource(
  cache: Cache,
  { claim, name }: Asked,
  { provisioner }: Stored<storagev1.StorageClass>,
): ObservedSource {
  const { namespace } = claim.metadata;
  const from = cache.get(corev1.persistentvolumeclaims, { namespace, name });
  if (from === undefined)
    return unfit(
      `error getting PVC ${name} (namespace "${namespace}") from api server: persistentvolumeclaims "${name}" not found`,
    );
  const volume = cache.get(corev1.persistentvolumes, { name: from.spec.volumeName ?? '' });
  const why = claimFault(from, claim) ?? volumeFault(volume, { from, claim, provisioner });
  return why === undefined ? known({ volume: volume?.spec.csi?.volumeHandle ?? '' }) : unfit(why);
}

const known = (source: VolumeSource): ObservedSource => ({ type: 'known', source });

type Cloning = { readonly from: Claim; readonly claim: Claim; readonly provisioner: string };

function volumeFault(volume: Volume | undefined, { from, claim, provisioner }: Cloning): string | undefined {
  if (volume?.spec.csi?.driver !== provisioner || !isBoundTo(volume, from))
    return 'claim in dataSource not bound or invalid';
  return modeOf(claim) === modeOf(volume)
    ? undefined
    : 'the source PVC and destination PVCs must have the same volume mode for cloning.';
}

const modeOf = ({ spec }: Claim | Volume): string => spec.volumeMode ?? 'Filesystem';

function claimFault(from: Claim, claim: Claim): string | undefined {
  const { name, deletionTimestamp } = from.metadata;
  if (from.status?.phase !== 'Bound')
    return `the PVC DataSource ${name} must have a status of Bound.  Got ${from.status?.phase ?? ''}`;
  if (deletionTimestamp !== undefined) return `the PVC DataSource ${name} is currently being deleted`;
  const [requested, size] = [sizeOf(claim), sizeOf(from)];
  if (requested >= size) return undefined;
  return (
    'error, new PVC request must be greater than or equal in size to the specified PVC data source, requested ' +
    `${requested} but source is ${size}`
  );
}

function isBoundTo(volume: Volume | undefined, claim: Claim): boolean {
  return volume?.status?.phase === 'Bound' && volume.spec.claimRef?.uid === claim.metadata.uid;
}

function snapshotSource(
  cache: Cache,
  { claim, name }: Asked,
  storageClass: Stored<storagev1.StorageClass>,
): ObservedSource {
  const snapshot = cache.get(volumesnapshots, { namespace: claim.metadata.namespace, name });
  if (snapshot === undefined)
    return unfit(
      `error getting snapshot ${name} from api server: volumesnapshots.${SNAPSHOT_GROUP} "${name}" not found`,
    );
  const contentName = snapshot.status?.boundVolumeSnapshotContentName;
  if (contentName === undefined) return unfit(`snapshot ${name} not bound`);
  const content = cache.get(volumesnapshotcontents, { name: contentName });
  if (content === undefined)
    return unfit(`error getting snapshotcontent ${contentName} for snapshot ${name} from api server`);
  const why = restoreFault(snapshot, content, { claim, storageClass });
  return why === undefined ? known({ snapshot: content.status?.snapshotHandle ?? '' }) : unfit(why);
}

function restoreFault(
  snapshot: VolumeSnapshot,
  content: VolumeSnapshotContent,
  { claim, storageClass }: { readonly claim: Claim; readonly storageClass: Stored<storagev1.StorageClass> },
): string | undefined {
  return (
    contentFault(snapshot, content, storageClass) ?? sizeFault(snapshot, claim) ?? modeFault(content, claim)
  );
}

function contentFault(
  { metadata, status }: VolumeSnapshot,
  content: VolumeSnapshotContent,
  storageClass: Stored<storagev1.StorageClass>,
): string | undefined {
  const [name, contentName] = [metadata.name, content.metadata.name];
  if (content.spec.volumeSnapshotRef?.uid !== metadata.uid)
    return `snapshotcontent ${contentName} for snapshot ${name} is bound to a different snapshot`;
  if (content.spec.driver !== storageClass.provisioner)
    return `snapshotcontent ${contentName} for snapshot ${name} is handled by a different CSI driver than requested by StorageClass ${storageClass.metadata.name}`;
  if (status?.readyToUse !== true) return `snapshot ${name} is not Ready`;
  const handle = content.status?.snapshotHandle;
  return handle === undefined ? `snapshot handle ${name} is not available` : undefined;
}

function sizeFault({ metadata, status }: VolumeSnapshot, claim: Claim): string | undefined {
  if (status?.restoreSize === undefined) return undefined;
  const [requested, size] = [sizeOf(claim), bytesOf(status.restoreSize)];
  if (requested >= size) return undefined;
  return `requested volume size ${requested} is less than the size ${size} for the source snapshot ${metadata.name}`;
}

const MODE_CHANGE = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';

function modeFault({ metadata, spec }: VolumeSnapshotContent, claim: Claim): string | undefined {
  const mode = modeOf(claim);
  if ((spec.sourceVolumeMode ?? mode) === mode) return undefined;
  if (metadata.annotations?.[MODE_CHANGE] === 'true') return undefined;
  return (
    `requested volume ${claim.metadata.namespace}/${claim.metadata.name} modifies the mode of the source volume but does ` +
    `not have permission to do so. ${MODE_CHANGE} annotation is not present on snapshotcontent ${metadata.name}`
  );
}
