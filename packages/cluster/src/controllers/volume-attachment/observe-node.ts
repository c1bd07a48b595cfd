import { createHash } from 'node:crypto';
import { corev1, storagev1, type Stored } from '@kubewright/kube';
import type { Cache } from '@kubewright/runtime';
import { isTerminal } from '../workloads/pod-state.ts';
import { indexByNode, podsOnNode } from '../workloads/pods-on-node.ts';
import { claimsOf } from '../volumes/index-pods-by-claim.ts';

export type Attachment = Stored<storagev1.VolumeAttachment>;

/** A volume that pods on the node need. */
export type WantedVolume = {
  /** Of the attachment. */
  readonly name: string;
  /** Of the PersistentVolume. */
  readonly volume: string;
  readonly driver: string;
  readonly handle: string;
  /** It may be on one node only. */
  readonly isExclusive: boolean;
  readonly pods: readonly Stored<corev1.Pod>[];
  /** Attachments of the volume to other nodes. */
  readonly elsewhere: readonly Attachment[];
  /** The pods over there that use it. */
  readonly rivals: readonly Stored<corev1.Pod>[];
};

/** Everything that a decision about the attachments of one node needs. */
export type ObservedNode = {
  readonly nodeName: string;
  readonly node: Stored<corev1.Node> | undefined;
  readonly wanted: readonly WantedVolume[];
  readonly attachments: readonly Attachment[];
  /** What a node calls the volume of an attachment: `kubernetes.io/csi/DRIVER^HANDLE`. */
  readonly uniqueNames: ReadonlyMap<string, string>;
};

const BY_NODE = 'node';
const BY_VOLUME = 'volume';

const nodeOf = ({ spec }: Attachment): readonly string[] => [spec.nodeName];
const volumeOf = ({ spec }: Attachment): readonly string[] =>
  spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];

export function indexAttachments(cache: Cache): void {
  cache.addIndex(storagev1.volumeattachments, BY_NODE, nodeOf);
  cache.addIndex(storagev1.volumeattachments, BY_VOLUME, volumeOf);
  indexByNode(cache);
}

const attachmentsOf = (cache: Cache, volume: string): readonly Attachment[] =>
  cache.byIndex(storagev1.volumeattachments, BY_VOLUME, volume);

/** The name that Kubernetes gives the attachment of a volume to a node. */
function attachmentName(handle: string, driver: string, node: string): string {
  return `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`;
}

export function observeNode(cache: Cache, nodeName: string): ObservedNode {
  const attachments = cache.byIndex(storagev1.volumeattachments, BY_NODE, nodeName);
  return {
    nodeName,
    node: cache.get(corev1.nodes, { name: nodeName }),
    wanted: wantedOn(cache, nodeName),
    attachments,
    uniqueNames: new Map(attachments.map((one) => [one.metadata.name, uniqueNameOf(cache, one)] as const)),
  };
}

function uniqueNameOf(cache: Cache, { spec }: Attachment): string {
  const name = spec.source.persistentVolumeName ?? '';
  const handle = cache.get(corev1.persistentvolumes, { name })?.spec.csi?.volumeHandle;
  return uniqueName(spec.attacher, handle ?? name);
}

export function uniqueName(driver: string, handle: string): string {
  return `kubernetes.io/csi/${driver}^${handle}`;
}

function wantedOn(cache: Cache, nodeName: string): readonly WantedVolume[] {
  const found = new Map<string, WantedVolume>();
  for (const pod of podsOnNode(cache, nodeName).filter(({ status }) => !isTerminal(status?.phase))) {
    for (const volume of volumesOf(cache, pod)) {
      const name = volume.metadata.name;
      const known = found.get(name) ?? wanted(cache, volume, nodeName);
      if (known !== undefined) found.set(name, { ...known, pods: [...known.pods, pod] });
    }
  }
  return [...found.values()];
}

function volumesOf(cache: Cache, pod: Stored<corev1.Pod>): readonly Stored<corev1.PersistentVolume>[] {
  return claimsOf(pod).flatMap((key) => {
    const claim = cache.get(corev1.persistentvolumeclaims, key);
    if (claim?.status?.phase !== 'Bound') return [];
    const volume = cache.get(corev1.persistentvolumes, { name: claim.spec.volumeName ?? '' });
    return volume !== undefined && volume.spec.claimRef?.uid === claim.metadata.uid ? [volume] : [];
  });
}

const SHARED = ['ReadOnlyMany', 'ReadWriteMany'];

/** Only CSI volumes whose driver asks for it are attached. */
function wanted(
  cache: Cache,
  { metadata, spec }: Stored<corev1.PersistentVolume>,
  node: string,
): WantedVolume | undefined {
  if (spec.csi === undefined) return undefined;
  const { driver, volumeHandle: handle } = spec.csi;
  if (cache.get(storagev1.csidrivers, { name: driver })?.spec.attachRequired === false) return undefined;
  const volume = metadata.name;
  const elsewhere = attachmentsOf(cache, volume).filter((one) => one.spec.nodeName !== node);
  return {
    name: attachmentName(handle, driver, node),
    volume,
    driver,
    handle,
    isExclusive: !(spec.accessModes ?? []).some((mode) => SHARED.includes(mode)),
    pods: [],
    elsewhere,
    rivals: elsewhere.flatMap((one) =>
      podsOnNode(cache, one.spec.nodeName).filter((pod) =>
        volumesOf(cache, pod).some((used) => used.metadata.name === volume),
      ),
    ),
  };
}
