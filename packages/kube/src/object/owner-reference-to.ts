import type { KubeObject, OwnerReference, Stored } from './kube-object.ts';

/** How an owner reference binds: as the managing controller, and whether it holds up foreground deletion. */
export type OwnerReferenceOptions = {
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** A reference to `owner`. */
export function ownerReferenceTo(owner: Stored, options: OwnerReferenceOptions = {}): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    ...options,
  };
}

/** The one owner that controls `object`, if any. */
export function controllerOf(object: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}
