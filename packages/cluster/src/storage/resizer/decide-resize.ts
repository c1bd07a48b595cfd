import type { corev1, Stored } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { PROVISIONED_BY } from '../../controllers/volumes/annotations.ts';
import { bytesOf } from '../provisioner/decide-provision.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;

export type ResizeStep =
  | { readonly type: 'none' }
  /** The storage system first, then the volume's capacity, then what the claim has. */
  | { readonly type: 'expand'; readonly handle: string; readonly sizeBytes: number }
  | { readonly type: 'claim'; readonly claim: Claim };

const NONE: ResizeStep = { type: 'none' };

/** What the resizer of `driver` does next about a claim that may ask for more than it has. */
export function decideResize(claim: Claim, volume: Volume, driver: string): ResizeStep {
  if (!isOurs(claim, volume, driver)) return NONE;
  const [wanted, size] = [wantedBy(claim), sizeOf(volume.spec.capacity)];
  if (compareQuantity(wanted, size) > 0) return grow(volume, wanted);
  const { capacity } = claim.status ?? {};
  if (compareQuantity(size, sizeOf(capacity)) <= 0) return NONE;
  const status = { ...claim.status, capacity: { ...capacity, storage: size } };
  return { type: 'claim', claim: { ...claim, status } };
}

const wantedBy = ({ spec }: Claim): string => spec.resources?.requests?.['storage'] ?? '0';
const sizeOf = (capacity: Volume['spec']['capacity']): string => capacity?.['storage'] ?? '0';

function isOurs({ metadata, status }: Claim, { metadata: of, spec }: Volume, driver: string): boolean {
  const made = of.annotations?.[PROVISIONED_BY] ?? spec.csi?.driver;
  return made === driver && status?.phase === 'Bound' && spec.claimRef?.uid === metadata.uid;
}

function grow({ spec }: Volume, wanted: string): ResizeStep {
  return { type: 'expand', handle: spec.csi?.volumeHandle ?? '', sizeBytes: bytesOf(wanted) };
}

/** The volume with the size that its claim asks for. */
export function grown(volume: Volume, claim: Claim): Volume {
  const capacity = { ...volume.spec.capacity, storage: wantedBy(claim) };
  return { ...volume, spec: { ...volume.spec, capacity } };
}
