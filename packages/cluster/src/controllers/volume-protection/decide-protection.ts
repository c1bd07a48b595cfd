import type { corev1, KubeObject, Stored } from '@kubewright/kube';
import { ephemeralClaimName } from '../volumes/index-pods-by-claim.ts';

export type ProtectionStep = 'add' | 'remove' | 'none';

/** What to do about a finalizer that keeps an object while it is in use. */
export function decideProtection(
  { metadata }: KubeObject,
  finalizer: string,
  isUsed: () => boolean,
): ProtectionStep {
  const kept = metadata.finalizers?.includes(finalizer) === true;
  if (metadata.deletionTimestamp === undefined) return kept ? 'none' : 'add';
  return kept && !isUsed() ? 'remove' : 'none';
}

/** `object` after a step. */
export function protectedBy<T extends KubeObject>(
  object: T,
  finalizer: string,
  step: Exclude<ProtectionStep, 'none'>,
): T {
  const others = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  const finalizers = step === 'add' ? [...others, finalizer] : others;
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/**
 * Whether a pod holds a claim. One without a node does not: it will not be started with a claim that is being deleted.
 * A pod that names the claim holds it until it is gone, over or not.
 */
export function holdsClaim(pod: Stored<corev1.Pod>, claim: Stored<corev1.PersistentVolumeClaim>): boolean {
  if ((pod.spec.nodeName ?? '') === '') return false;
  const { name } = claim.metadata;
  return (pod.spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name ||
      (volume.ephemeral !== undefined &&
        ephemeralClaimName(pod, volume) === name &&
        !isShutDown(pod) &&
        isMadeFor(claim, pod)),
  );
}

function isShutDown({ metadata }: Stored<corev1.Pod>): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function isMadeFor({ metadata }: Stored<corev1.PersistentVolumeClaim>, pod: Stored<corev1.Pod>): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === pod.metadata.uid);
}
