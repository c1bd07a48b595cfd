import type { KubeObject } from '@kubewright/kube';

/** Finalizers and annotations of external-snapshotter. */
const PREFIX: string = 'snapshot.storage.kubernetes.io';

export const CONTENT_FINALIZER: string = `${PREFIX}/volumesnapshotcontent-bound-protection`;
export const BOUND_FINALIZER: string = `${PREFIX}/volumesnapshot-bound-protection`;
export const SOURCE_FINALIZER: string = `${PREFIX}/volumesnapshot-as-source-protection`;
/** On a claim of which a snapshot is being taken. */
export const CLAIM_FINALIZER: string = `${PREFIX}/pvc-as-source-protection`;
/** On a content: its snapshot is to be deleted, or the storage system has not responded to the call. */
export const BEING_DELETED: string = `${PREFIX}/volumesnapshot-being-deleted`;
export const BEING_CREATED: string = `${PREFIX}/volumesnapshot-being-created`;
export const IS_DEFAULT_CLASS: string = `${PREFIX}/is-default-class`;

export function has({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

export function isMarked({ metadata }: KubeObject, annotation: string): boolean {
  return metadata.annotations?.[annotation] !== undefined;
}

export function marked<T extends KubeObject>(object: T, annotation: string): T {
  const annotations = { ...object.metadata.annotations, [annotation]: 'yes' };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export function unmarked<T extends KubeObject>(object: T, annotation: string): T {
  const { [annotation]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export function withFinalizers<T extends KubeObject>(object: T, ...more: readonly string[]): T {
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), ...more])];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

export function withoutFinalizers<T extends KubeObject>(object: T, ...less: readonly string[]): T {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => !less.includes(name));
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

export function isDying({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
