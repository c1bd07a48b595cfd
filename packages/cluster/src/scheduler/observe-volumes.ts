import { corev1, defined, storagev1, type Stored } from '@kubewright/kube';
import type { Cache } from '@kubewright/runtime';
import { BIND_COMPLETED, classOf } from '../controllers/volumes/annotations.ts';
import { claimsOf } from '../controllers/volumes/index-pods-by-claim.ts';
import type { PodVolumes, WaitingClaim } from './filters/volume-binding.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Found = {
  readonly rejected?: string;
  readonly bound?: { readonly volume: Stored<corev1.PersistentVolume> | undefined };
  readonly waiting?: WaitingClaim;
};

/** What the claims of a pod say of where it may go; undefined for a pod without claims. */
export function observeVolumes(cache: Cache, pod: Stored<corev1.Pod>): PodVolumes | undefined {
  const keys = claimsOf(pod);
  if (keys.length === 0) return undefined;
  const named = new Set((pod.spec.volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName));
  const found = keys.map(({ namespace = '', name }) => {
    const claim = cache.get(corev1.persistentvolumeclaims, { namespace, name });
    return claim === undefined ? { rejected: absent(name, !named.has(name)) } : look(cache, claim);
  });
  const rejected = found.find((one) => one.rejected !== undefined)?.rejected;
  const immediate = found.some((one) => one.rejected === undefined && !one.bound && !one.waiting);
  const why = rejected ?? (immediate ? 'pod has unbound immediate PersistentVolumeClaims' : undefined);
  return {
    ...defined({ rejected: why }),
    bound: found.flatMap((one: Found) => (one.bound === undefined ? [] : [one.bound.volume])),
    waiting: found.flatMap((one: Found) => one.waiting ?? []),
  };
}

function absent(name: string, isEphemeral: boolean): string {
  return isEphemeral
    ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    : `persistentvolumeclaim "${name}" not found`;
}

/** Nothing at all stands for a claim that the binder has to bind first. */
function look(cache: Cache, claim: Claim): Found {
  const { metadata, spec, status } = claim;
  const { volumeName = '' } = spec;
  if (status?.phase === 'Lost')
    return {
      rejected: `persistentvolumeclaim "${metadata.name}" bound to non-existent persistentvolume "${volumeName}"`,
    };
  if (metadata.deletionTimestamp !== undefined)
    return { rejected: `persistentvolumeclaim "${metadata.name}" is being deleted` };
  if (volumeName !== '')
    return metadata.annotations?.[BIND_COMPLETED] === undefined
      ? {}
      : { bound: { volume: cache.get(corev1.persistentvolumes, { name: volumeName }) } };
  return waitingFor(cache, claim);
}

function waitingFor(cache: Cache, claim: Claim): Found {
  const className = classOf(claim);
  const storageClass =
    className === '' ? undefined : cache.get(storagev1.storageclasses, { name: className });
  if (storageClass?.volumeBindingMode !== 'WaitForFirstConsumer') return {};
  const candidates = cache.list(corev1.persistentvolumes).filter((volume) => classOf(volume) === className);
  return { waiting: { claim, storageClass, candidates } };
}
