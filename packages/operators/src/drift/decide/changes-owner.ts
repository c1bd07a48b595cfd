import { controllerOf, type KubeObject, type OwnerReference } from '@kubewright/kube';

/**
 * Whether a write gives the object another controller owner, or none. Another version of the same kind is the same owner;
 * `blockOwnerDeletion`, and references to other owners, do not matter.
 */
export function changesOwner(old: KubeObject, object: KubeObject): boolean {
  const [before, after] = [controllerOf(old), controllerOf(object)];
  return before !== after && !isSameOwner(before, after);
}

function isSameOwner(one: OwnerReference | undefined, other: OwnerReference | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const isSameKind = groupOf(one) === groupOf(other) && one.kind === other.kind;
  return isSameKind && one.name === other.name && one.uid === other.uid;
}

/** Admission sees references before anybody has validated them. */
const groupOf = ({ apiVersion }: OwnerReference): string =>
  apiVersion.slice(0, apiVersion.lastIndexOf('/') + 1);
