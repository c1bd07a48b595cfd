import {
  type corev1,
  defined,
  type KubeObject,
  type NamespacedMeta,
  type OwnerReference,
  ownerReferenceTo,
  type Stored,
} from '@kubewright/kube';

/** What makes `owner` the one controller of an object, and holds up its foreground deletion. */
export function controllerReference(owner: Stored): OwnerReference {
  return ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true });
}

type Workload = Stored<KubeObject & { readonly metadata: NamespacedMeta }>;

/** A pod as `template` wants it, owned by `owner`, with a name that begins as its owner's. */
export function podFromTemplate(template: corev1.PodTemplateSpec, owner: Workload): corev1.Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { name, namespace } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      namespace,
      ...defined({ labels, annotations, finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: template.spec ?? { containers: [] },
  };
}
