import { type KubeObject, stringifyJson } from '@kubewright/kube';

/**
 * An object as it is kept: frozen, with its encoded bytes. It is encoded once, when its bytes are first asked for,
 * and every answer, list and watch event that shows it is written from those bytes.
 */
export type StoredObject = {
  /** `namespace/name`, or `name` where the resource has no namespaces. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** In the storage version; `metadata.resourceVersion` is `revision`. */
  readonly object: KubeObject;
  readonly revision: number;
  /** It was written otherwise than it reads: the next write of it is one even if it changes nothing. */
  readonly unsettled: boolean;
  /** Filled by {@link encodedAs}. */
  readonly encodings: { storage?: Uint8Array; others?: Map<string, Uint8Array> };
};

export function storeObject(
  key: string,
  object: KubeObject,
  revision: number,
  unsettled = false,
): StoredObject {
  const { namespace = '', name = '' } = object.metadata;
  return { key, namespace, name, object, revision, unsettled, encodings: {} };
}

/** The JSON bytes of the object in `apiVersion`; versions differ by their `apiVersion` only. */
export function encodedAs(stored: StoredObject, apiVersion: string): Uint8Array {
  if (apiVersion === stored.object.apiVersion) {
    stored.encodings.storage ??= encode(stored.object);
    return stored.encodings.storage;
  }
  stored.encodings.others ??= new Map();
  let bytes = stored.encodings.others.get(apiVersion);
  if (bytes === undefined) {
    bytes = encode(inVersion(stored.object, apiVersion));
    stored.encodings.others.set(apiVersion, bytes);
  }
  return bytes;
}

/** Lets go of the bytes, which {@link encodedAs} can make again. */
export function forgetEncodings({ encodings }: StoredObject): void {
  delete encodings.storage;
  delete encodings.others;
}

/** The object in another version of its group. */
export function inVersion(object: KubeObject, apiVersion: string): KubeObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** JSON of an object, its type first: what {@link typeMetaLength} measures. */
export function encode(object: KubeObject): Uint8Array {
  const { kind, apiVersion, ...rest } = object;
  return Buffer.from(stringifyJson({ kind, apiVersion, ...rest }));
}

/** Bytes of `{"kind":…,"apiVersion":…,` before the rest of an encoded object, which always has metadata. */
export function typeMetaLength(apiVersion: string, kind: string): number {
  return Buffer.byteLength(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
}

/** The key of an object in its collection. */
export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
