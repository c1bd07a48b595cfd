import { type Client, ignoreNotFound } from '@kubewright/client';
import { compareText, corev1, parseTime, storagev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { isTerminal } from '../workloads/pod-state.ts';
import { classOf } from '../volumes/annotations.ts';
import { claimKey, podsUsing } from '../volumes/index-pods-by-claim.ts';
import type { ObservedClaim } from './decide-claim.ts';
import type { ObservedVolume } from './decide-volume.ts';

const DEFAULT_CLASS_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Volumes by the claim that they are for; those without a claimRef by their class. */
const BY_CLAIM = 'claim';
const BY_CLASS = 'free-class';
/** Claims by the volume that they name; the others by their class. */
const BY_VOLUME = 'volume';
const UNBOUND_BY_CLASS = 'unbound-class';

export function indexVolumes(cache: Cache): void {
  const { persistentvolumes, persistentvolumeclaims } = corev1;
  cache.addIndex(persistentvolumes, BY_CLAIM, ({ spec: { claimRef } }) =>
    claimRef === undefined ? [] : [claimKey(claimRef)],
  );
  cache.addIndex(persistentvolumes, BY_CLASS, (volume) =>
    volume.spec.claimRef === undefined ? [classOf(volume)] : [],
  );
  cache.addIndex(persistentvolumeclaims, BY_VOLUME, ({ spec: { volumeName = '' } }) =>
    volumeName === '' ? [] : [volumeName],
  );
  cache.addIndex(persistentvolumeclaims, UNBOUND_BY_CLASS, (claim) =>
    (claim.spec.volumeName ?? '') === '' ? [classOf(claim)] : [],
  );
}

export const volumesFor = (cache: Cache, claim: Request): readonly Stored<corev1.PersistentVolume>[] =>
  cache.byIndex(corev1.persistentvolumes, BY_CLAIM, claimKey(claim));

export const claimsNaming = (cache: Cache, volume: string): readonly Stored<corev1.PersistentVolumeClaim>[] =>
  cache.byIndex(corev1.persistentvolumeclaims, BY_VOLUME, volume);

export const claimsWanting = (
  cache: Cache,
  className: string,
): readonly Stored<corev1.PersistentVolumeClaim>[] =>
  cache.byIndex(corev1.persistentvolumeclaims, UNBOUND_BY_CLASS, className);

export function observeClaim(cache: Cache, request: Request): ObservedClaim | undefined {
  const claim = cache.get(corev1.persistentvolumeclaims, request);
  if (claim === undefined) return undefined;
  const { volumeName = '' } = claim.spec;
  const className = classOf(claim);
  const free = cache.byIndex<corev1.PersistentVolume>(corev1.persistentvolumes, BY_CLASS, className);
  const waiting = podsUsing(cache, request).filter(
    (pod) => !isTerminal(pod.status?.phase) && !pod.spec.nodeName,
  );
  return {
    claim,
    named: volumeName === '' ? undefined : cache.get(corev1.persistentvolumes, { name: volumeName }),
    candidates: volumeName === '' ? [...volumesFor(cache, request), ...free] : [],
    storageClass: className === '' ? undefined : cache.get(storagev1.storageclasses, { name: className }),
    defaultClass: defaultClass(cache.list(storagev1.storageclasses)),
    waitingPods: waiting.map(({ metadata }) => metadata.name).sort(),
  };
}

/** Nothing is reclaimed because a cache is behind: a claim that it does not know is asked for. */
export async function observeVolume(
  { cache, client }: { readonly cache: Cache; readonly client: Client },
  request: Request,
): Promise<ObservedVolume | undefined> {
  const volume = cache.get(corev1.persistentvolumes, request);
  if (volume === undefined) return undefined;
  return { volume, claim: await claimOf({ cache, client }, volume) };
}

async function claimOf(
  { cache, client }: { readonly cache: Cache; readonly client: Client },
  { spec, status }: Stored<corev1.PersistentVolume>,
): Promise<Stored<corev1.PersistentVolumeClaim> | undefined> {
  const { uid = '', namespace = '', name = '' } = spec.claimRef ?? {};
  if (uid === '') return undefined;
  const isIt = (claim: Stored<corev1.PersistentVolumeClaim> | undefined): boolean =>
    claim?.metadata.uid === uid;
  const cached = cache.get(corev1.persistentvolumeclaims, { namespace, name });
  if (isIt(cached) || (cached === undefined && isReleased(status))) return cached;
  const live = await ignoreNotFound(client.get(corev1.persistentvolumeclaims, { namespace, name }));
  return isIt(live) ? live : undefined;
}

const isReleased = (status: corev1.PersistentVolumeStatus | undefined): boolean =>
  status?.phase === 'Released' || status?.phase === 'Failed';

/** The newest of the classes that are annotated as the default; by name where they are of one second. */
function defaultClass(
  classes: readonly Stored<storagev1.StorageClass>[],
): Stored<storagev1.StorageClass> | undefined {
  const createdAt = ({ metadata }: Stored<storagev1.StorageClass>): number =>
    parseTime(metadata.creationTimestamp ?? '').getTime();
  return classes
    .filter(({ metadata }) =>
      DEFAULT_CLASS_ANNOTATIONS.some((name) => metadata.annotations?.[name] === 'true'),
    )
    .sort((a, b) => createdAt(b) - createdAt(a) || compareText(a.metadata.name, b.metadata.name))[0];
}
