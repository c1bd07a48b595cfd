import * as kube from '@kubewright/kube';
import type { ResourceRef } from '@kubewright/kube';

const GROUP_VERSIONS = [
  kube.admissionregistrationv1,
  kube.apiextensionsv1,
  kube.apiregistrationv1,
  kube.appsv1,
  kube.autoscalingv2,
  kube.batchv1,
  kube.certificatesv1,
  kube.coordinationv1,
  kube.corev1,
  kube.discoveryv1,
  kube.flowcontrolv1,
  kube.networkingv1,
  kube.nodev1,
  kube.policyv1,
  kube.rbacv1,
  kube.resourcev1,
  kube.schedulingv1,
  kube.storagev1,
];

/** The kinds of Kubernetes itself of which objects are stored. Of Events there are many, and they are nobody's. */
export const BUILT_IN_KINDS: readonly ResourceRef[] = GROUP_VERSIONS.flatMap((refs) =>
  Object.values<ResourceRef>(refs),
).filter(({ stored, resource }) => stored !== false && resource !== 'events');

const CLUSTER_SCOPED: ReadonlySet<string> = new Set(
  BUILT_IN_KINDS.filter(({ namespaced }) => !namespaced).map(({ group, kind }) => `${group}/${kind}`),
);

/** Whether objects of a kind of Kubernetes itself have no namespace. The server ignores one in their manifests. */
export function isClusterScoped(group: string, kind: string): boolean {
  return CLUSTER_SCOPED.has(`${group}/${kind}`);
}
