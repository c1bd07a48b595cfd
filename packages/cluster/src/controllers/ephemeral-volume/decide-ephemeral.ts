import { controllerOf, type corev1, defined, type Stored } from '@kubewright/kube';
import { ephemeralClaimName } from '../volumes/index-pods-by-claim.ts';

export type EphemeralStep =
  | { readonly type: 'create'; readonly volume: string; readonly claim: corev1.PersistentVolumeClaim }
  /** A claim of that name has another owner. */
  | { readonly type: 'fail'; readonly volume: string; readonly message: string };

/** What is missing of the claims that a pod's ephemeral volumes stand for. */
export function decideEphemeral(
  pod: Stored<corev1.Pod>,
  claimNamed: (name: string) => Stored<corev1.PersistentVolumeClaim> | undefined,
): readonly EphemeralStep[] {
  if (pod.metadata.deletionTimestamp !== undefined) return [];
  return (pod.spec.volumes ?? []).flatMap((volume): readonly EphemeralStep[] => {
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (template === undefined) return [];
    const name = ephemeralClaimName(pod, volume);
    const claim = claimNamed(name);
    if (claim === undefined)
      return [{ type: 'create', volume: volume.name, claim: claimFor(pod, name, template) }];
    if (controllerOf(claim)?.uid === pod.metadata.uid) return [];
    const of = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const message = `PVC ${pod.metadata.namespace}/${name} was not created for pod ${of} (pod is not owner)`;
    return [{ type: 'fail', volume: volume.name, message }];
  });
}

function claimFor(
  { metadata }: Stored<corev1.Pod>,
  claim: string,
  template: corev1.PersistentVolumeClaimTemplate,
): corev1.PersistentVolumeClaim {
  const { name, uid, namespace } = metadata;
  const owner = { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true };
  const { annotations, labels } = template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claim,
      namespace,
      ownerReferences: [owner],
      ...defined({ annotations, labels }),
    },
    spec: template.spec,
  };
}
