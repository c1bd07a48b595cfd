import type { ResourceRef } from '@kubewright/client';
import { compareText, type OwnerReference, type Stored } from '@kubewright/kube';

/** Where an object is believed to be. `namespace` is empty for cluster-scoped kinds. */
export type ObjectReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
};

/** What `reference`, written on an object of `namespace`, means: owners live in the namespace of what they own. */
export function ownerIdentity(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): ObjectReference {
  return { apiVersion, kind, namespace, name, uid };
}

/** Do kind, name and uid agree? */
export function refersTo(reference: OwnerReference, owner: ObjectReference): boolean {
  return (
    reference.uid === owner.uid &&
    reference.name === owner.name &&
    reference.kind === owner.kind &&
    reference.apiVersion === owner.apiVersion
  );
}

/** Every part as one text: equal texts are equal references. */
export function referenceKey({ kind, apiVersion, namespace, name, uid }: ObjectReference): string {
  return JSON.stringify([kind, apiVersion, namespace, name, uid]);
}

export function sameReference(a: ObjectReference, b: ObjectReference): boolean {
  return referenceKey(a) === referenceKey(b);
}

/** As messages name it. */
export function formatReference({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** Kinds before namespaces before names, so that guesses at one owner come in an order that ends. */
export function compareReferences(a: ObjectReference, b: ObjectReference): number {
  const order = ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const;
  const differing = order.find((part) => a[part] !== b[part]);
  return differing === undefined ? 0 : compareText(a[differing], b[differing]);
}

/** Where a listed object is, under the kind that it was listed as. */
export function place({ group, version, kind }: ResourceRef, { metadata }: Stored): ObjectReference {
  const { namespace = '', name, uid } = metadata;
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, namespace, name, uid };
}
