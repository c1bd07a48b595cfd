import { corev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';

const BY_CLAIM = 'claim';

/** The name of the claim that an ephemeral volume of a pod gets. */
export function ephemeralClaimName(pod: Stored<corev1.Pod>, volume: corev1.Volume): string {
  return `${pod.metadata.name}-${volume.name}`;
}

/** The claims that a pod uses: those that it names, and those that are made for its ephemeral volumes. */
export function claimsOf(pod: Stored<corev1.Pod>): readonly Request[] {
  const { namespace } = pod.metadata;
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const { persistentVolumeClaim: named, ephemeral } = volume;
    if (named !== undefined) return [{ namespace, name: named.claimName }];
    return ephemeral === undefined ? [] : [{ namespace, name: ephemeralClaimName(pod, volume) }];
  });
}

const claimKeysOf = (pod: Stored<corev1.Pod>): readonly string[] => claimsOf(pod).map(claimKey);

export function indexPodsByClaim(cache: Cache): void {
  cache.addIndex(corev1.pods, BY_CLAIM, claimKeysOf);
}

/** The pods that use a claim. They must have been indexed. */
export function podsUsing(cache: Cache, claim: Request): readonly Stored<corev1.Pod>[] {
  return cache.byIndex(corev1.pods, BY_CLAIM, claimKey(claim));
}

/** `namespace/name`, as indexes have it. */
export function claimKey({ namespace = '', name = '' }: { namespace?: string; name?: string }): string {
  return `${namespace}/${name}`;
}
