import { corev1, storagev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { classOf, SELECTED_NODE } from '../../controllers/volumes/annotations.ts';
import { volumeNameOf } from './decide-provision.ts';
import type { ObservedVolume } from './decide-deletion.ts';
import type { Claim, ObservedClaim } from './provision-step.ts';
import { sourceOf } from './source-of.ts';

const ATTACHMENTS_BY_VOLUME = 'volume';

const volumeOf = ({ spec }: Stored<storagev1.VolumeAttachment>): readonly string[] =>
  spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName];

export function indexAttachments(cache: Cache): void {
  cache.addIndex(storagev1.volumeattachments, ATTACHMENTS_BY_VOLUME, volumeOf);
}

/** `topologyKey`: the label of nodes by which the driver tells from where a volume can be reached. */
export function observeClaim(
  cache: Cache,
  request: Request,
  topologyKey?: string,
): ObservedClaim | undefined {
  const claim = cache.get(corev1.persistentvolumeclaims, request);
  if (claim === undefined) return undefined;
  const className = classOf(claim);
  const storageClass =
    className === '' ? undefined : cache.get(storagev1.storageclasses, { name: className });
  return {
    claim,
    storageClass,
    isMade: cache.get(corev1.persistentvolumes, { name: volumeNameOf(claim) }) !== undefined,
    source: storageClass === undefined ? { type: 'none' } : sourceOf(cache, claim, storageClass),
    topology: topologyKey === undefined ? {} : topologyOf(cache, claim, topologyKey),
  };
}

function topologyOf(cache: Cache, { metadata }: Claim, key: string): Readonly<Record<string, string>> {
  const name = metadata.annotations?.[SELECTED_NODE];
  const node = name === undefined ? undefined : cache.get(corev1.nodes, { name });
  const value = node?.metadata.labels?.[key];
  return value === undefined ? {} : { [key]: value };
}

export const attachmentsOf = (cache: Cache, volume: string): readonly Stored<storagev1.VolumeAttachment>[] =>
  cache.byIndex(storagev1.volumeattachments, ATTACHMENTS_BY_VOLUME, volume);

export function observeVolume(cache: Cache, request: Request): ObservedVolume | undefined {
  const volume = cache.get(corev1.persistentvolumes, request);
  if (volume === undefined) return undefined;
  return { volume, attachedTo: attachmentsOf(cache, request.name).map(({ spec }) => spec.nodeName) };
}
