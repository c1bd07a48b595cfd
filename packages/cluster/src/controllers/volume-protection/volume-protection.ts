import { ignoreNotFound, type Ref } from '@kubewright/client';
import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { type Manager, type Result, watchKind, watchMapped } from '@kubewright/runtime';
import { claimsOf, indexPodsByClaim, podsUsing } from '../volumes/index-pods-by-claim.ts';
import { soonest, undoneWait } from '../workloads/undone-wait.ts';
import { decideProtection, holdsClaim, protectedBy } from './decide-protection.ts';

/** The service accounts of `kube-system` that they act as. */
export const CLAIM_PROTECTION = 'pvc-protection-controller';
export const VOLUME_PROTECTION = 'pv-protection-controller';

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';

/** Keeps claims while pods use them. */
export function addClaimProtection(manager: Manager): void {
  const { cache, client } = manager;
  indexPodsByClaim(cache);
  manager.addController({
    name: 'persistentvolumeclaim-protection',
    sources: [watchKind(corev1.persistentvolumeclaims), watchMapped(corev1.pods, claimsOf)],
    reconciler: {
      async reconcile(request) {
        const claim = cache.get(corev1.persistentvolumeclaims, request);
        if (claim === undefined) return {};
        const holds = (pod: Stored<corev1.Pod>): boolean => holdsClaim(pod, claim);
        const step = decideProtection(claim, CLAIM_FINALIZER, () => podsUsing(cache, request).some(holds));
        if (step === 'remove') {
          // The cache may lag, and what is released now is gone: the server has the last word.
          const { items } = await client.list(corev1.pods, { namespace: request.namespace });
          if (items.some(holds)) return {};
        }
        if (step === 'none') return {};
        return update(manager, corev1.persistentvolumeclaims, protectedBy(claim, CLAIM_FINALIZER, step));
      },
    },
  });
}

/** Keeps volumes while they are bound. */
export function addVolumeProtection(manager: Manager): void {
  manager.addController({
    name: 'persistentvolume-protection',
    sources: [watchKind(corev1.persistentvolumes)],
    reconciler: {
      async reconcile(request) {
        const volume = manager.cache.get(corev1.persistentvolumes, request);
        if (volume === undefined) return {};
        const step = decideProtection(volume, VOLUME_FINALIZER, () => volume.status?.phase === 'Bound');
        if (step === 'none') return {};
        return update(manager, corev1.persistentvolumes, protectedBy(volume, VOLUME_FINALIZER, step));
      },
    },
  });
}

/** What is gone meanwhile needs no protection. */
async function update<T extends KubeObject>(
  { client }: Manager,
  ref: Ref<T>,
  object: Stored<T>,
): Promise<Result> {
  return soonest(undoneWait(object, await ignoreNotFound(client.update(ref, object))));
}
