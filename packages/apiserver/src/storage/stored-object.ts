import {
  deepFreeze,
  isStored,
  type KubeObject,
  withDecodedValue,
  type Stored,
  stringifyJson,
  apiVersionOf,
} from '@kubewright/kube';
import { localError } from '../api-server-error.ts';
import { inVersion, type View } from '../model/in-version.ts';
import { namespaceOf } from '../objects/name-of.ts';

/**
 * An object as it is kept: frozen, with its encoded bytes. It is encoded once, when its bytes are first read,
 * and every response, list and watch event that holds it is written from those bytes.
 */
export type StoredObject = {
  /** `namespace/name`, or `name` where the resource has no namespaces. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** In the storage version; `metadata.resourceVersion` is `revision`. */
  readonly object: Stored;
  readonly revision: number;
  /** It was written otherwise than it reads: the next write of it is one even if it changes nothing. */
  readonly unsettled: boolean;
  /** As it was written, where it reads otherwise by now: the schema of its kind has changed. */
  readonly written?: KubeObject;
  /** Filled by {@link encodedAs}. */
  readonly encodings: { storage?: Uint8Array; others?: Map<string, Uint8Array> };
};

/** Everything that is stored passes here: readers of the store may rely on name, uid and resourceVersion. */
export function storeObject(
  key: string,
  object: KubeObject,
  revision: number,
  unsettled = false,
): StoredObject {
  if (!isStored(object)) {
    throw localError('Malformed', `storage: ${object.kind} ${key} without name, uid or resourceVersion`);
  }
  const { name } = object.metadata;
  return { key, namespace: namespaceOf(object), name, object, revision, unsettled, encodings: {} };
}

/** Whether the next write of it is one even if it changes nothing. */
export function isUnsettled({ unsettled, written }: StoredObject): boolean {
  return unsettled || written !== undefined;
}

/** The same object as `read` shows what was written. */
export function rereadObject(stored: StoredObject, read: (object: KubeObject) => KubeObject): StoredObject {
  const written = stored.written ?? stored.object;
  const object = read(written);
  // Other versions may read otherwise as well.
  delete stored.encodings.others;
  if (object === stored.object) return stored;
  const { key, revision, unsettled } = stored;
  const reread = storeObject(key, deepFreeze(object), revision, unsettled);
  return object === written ? reread : { ...reread, written };
}

/** The JSON bytes of the object in a version. */
export function encodedAs(stored: StoredObject, view: View): Uint8Array {
  const apiVersion = apiVersionOf(view);
  if (apiVersion === stored.object.apiVersion) {
    stored.encodings.storage ??= encodeShared(stored.object);
    return stored.encodings.storage;
  }
  stored.encodings.others ??= new Map();
  let bytes = stored.encodings.others.get(apiVersion);
  if (bytes === undefined) {
    bytes = encodeShared(deepFreeze(inVersion(stored.object, view)));
    stored.encodings.others.set(apiVersion, bytes);
  }
  return bytes;
}

/** Drops the bytes, which {@link encodedAs} can make again. */
export function forgetEncodings({ encodings }: StoredObject): void {
  delete encodings.storage;
  delete encodings.others;
}

/** Who reads these bytes in this process is given `object` itself, which must be frozen. */
function encodeShared(object: KubeObject): Uint8Array {
  return withDecodedValue(encode(object), object);
}

const utf8 = new TextEncoder();

/**
 * JSON of an object, its type first: what {@link typeMetaLength} measures. In memory of its own: what Buffer takes from its
 * pool keeps 8 KiB alive for as long as it lives itself, and this lives as long as the object.
 */
export function encode(object: KubeObject): Uint8Array {
  const { kind, apiVersion, ...rest } = object;
  return utf8.encode(stringifyJson({ kind, apiVersion, ...rest }));
}

/** Bytes of `{"kind":…,"apiVersion":…,` before the rest of an encoded object, which always has metadata. */
export function typeMetaLength(apiVersion: string, kind: string): number {
  return Buffer.byteLength(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
}

/** The key of an object in its collection. */
export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
