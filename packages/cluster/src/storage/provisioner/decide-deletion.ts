import type { Stored } from '@kubewright/kube';
import { hasFinalizer } from '@kubewright/runtime';
import { PROVISIONED_BY } from '../../controllers/volumes/annotations.ts';
import { PROVISIONER_FINALIZER } from './decide-provision.ts';
import type { Volume } from './provision-step.ts';

/** A volume, and the nodes that it is attached to. */
export type ObservedVolume = { readonly volume: Stored<Volume>; readonly attachedTo: readonly string[] };

export type VolumeStep =
  | { readonly type: 'none' }
  /** It must stay until the storage system has deleted it; or it may go. */
  | { readonly type: 'protect' | 'release' }
  | { readonly type: 'fail'; readonly message: string }
  | { readonly type: 'delete'; readonly handle: string };

const NONE: VolumeStep = { type: 'none' };

/** What the provisioner of `driver` does about a volume. One without a mark of who made it is its driver's. */
export function decideDeletion({ volume, attachedTo }: ObservedVolume, driver: string): VolumeStep {
  const { metadata, spec } = volume;
  if (driverOf(volume) !== driver) return NONE;
  const isProtected = hasFinalizer(volume, PROVISIONER_FINALIZER);
  if (spec.persistentVolumeReclaimPolicy !== 'Delete') return isProtected ? { type: 'release' } : NONE;
  const isDying = metadata.deletionTimestamp !== undefined;
  if (isIn(volume, 'Bound') && !isDying) return isProtected ? NONE : { type: 'protect' };
  const isGone = isDying && !isProtected;
  return isIn(volume, 'Released') && !isGone ? deletion(volume, attachedTo) : NONE;
}

function deletion({ metadata, spec }: Volume, [node]: readonly string[]): VolumeStep {
  if (node === undefined) return { type: 'delete', handle: spec.csi?.volumeHandle ?? '' };
  return { type: 'fail', message: `persistentvolume ${metadata.name} is still attached to node ${node}` };
}

function driverOf({ metadata, spec }: Volume): string | undefined {
  if (spec.csi === undefined) return undefined;
  return metadata.annotations?.[PROVISIONED_BY] ?? spec.csi.driver;
}

const isIn = ({ status }: Volume, phase: string): boolean => status?.phase === phase;
