import {
  ApiError,
  type Client,
  ignoreNotFound,
  type KindRef,
  keyOf,
  statusWithoutValues,
} from '@kubewright/client';
import {
  type Json,
  type KubeObject,
  type Named,
  parseApiVersion,
  type Status,
  type Stored,
} from '@kubewright/kube';
import { contentsOf } from './contents-of.ts';

/** One object, by name. `namespace` is empty for cluster-scoped kinds. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** The server's response to one write or dry run. A rejection is a value, not an exception, and its texts may be printed. */
export type Answer =
  | { readonly ok: true; readonly object: Stored }
  | { readonly ok: false; readonly status: Status };

/**
 * The few calls that an operator makes on objects of kinds it does not know. Nothing is read from a cache, because a
 * cache may drop managedFields. Rejects only when there is no response, or the response says to retry.
 */
export type AnyKindApi = {
  /** Rejects with `NoMatch` where the server does not serve the kind, also if it did so before. */
  get(ref: ObjectRef): Promise<Stored | undefined>;
  /**
   * The same at whatever version the server has of the kind, where it does not serve that of the reference. Undefined also
   * where it does not serve the kind at all, or the object cannot exist.
   */
  find(ref: ObjectRef): Promise<Stored | undefined>;
  /** Server-side apply with force. A `metadata.resourceVersion` and `uid` in the object are its preconditions. */
  apply(object: KubeObject, options: { readonly manager: string; readonly dryRun: boolean }): Promise<Answer>;
  /** POST. It is a conflict if the object exists. */
  create(object: KubeObject, options: { readonly manager: string }): Promise<Answer>;
  /** PUT. A `metadata.resourceVersion` in the object is its precondition. */
  replace(
    object: KubeObject,
    options: { readonly manager: string; readonly dryRun: boolean },
  ): Promise<Answer>;
  /** RFC 6902. */
  patchJson(ref: ObjectRef, patch: readonly Json[], options: { readonly manager: string }): Promise<Answer>;
  /**
   * Deletes exactly this object, with its uid and resourceVersion as preconditions. Succeeds when it is already gone.
   */
  delete(live: Stored, propagation: 'Background' | 'Foreground'): Promise<Answer>;
  /** See {@link contentsOf}. */
  contents(live: Stored): AsyncIterable<readonly Stored[]>;
};

/** The {@link AnyKindApi} of a client. */
export function anyKindApi(client: Client): AnyKindApi {
  return {
    get: (ref) => get(client, ref),
    find: (ref) => find(client, ref),
    apply: (object, { manager, dryRun }) =>
      answer(client.apply(kindOf(object), object, { fieldManager: manager, force: true, dryRun })),
    create: (object, { manager }) => answer(client.create(kindOf(object), object, { fieldManager: manager })),
    replace: (object, { manager, dryRun }) =>
      answer(client.update(kindOf(object), object, { fieldManager: manager, dryRun })),
    patchJson: (ref, body, { manager }) =>
      answer(client.patch(kindOf(ref), keyFor(ref), { type: 'json', body }, { fieldManager: manager })),
    delete: (live, propagationPolicy) => answer(remove(client, live, propagationPolicy)),
    contents: (live) => contentsOf(client, live),
  };
}

/** The reference of an object. */
export function refOf({ apiVersion, kind, metadata }: Named): ObjectRef {
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

/**
 * The object with the resourceVersion and the uid of `live`: the server responds 409 when it has changed since. Without
 * the uid, an apply would create it again when it is gone.
 */
export function atVersion<T extends KubeObject>(object: T, live: Stored): T {
  const { resourceVersion, uid } = live.metadata;
  return { ...object, metadata: { ...object.metadata, resourceVersion, uid } };
}

async function get(client: Client, ref: ObjectRef): Promise<Stored | undefined> {
  const read = () => client.get(kindOf(ref), keyFor(ref));
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
    if (!isUnservedPath(error)) return undefined;
    // Discovery is of the time before the definition was deleted.
    client.mapper.reset();
    return ignoreNotFound(read());
  }
}

async function find(client: Client, ref: ObjectRef): Promise<Stored | undefined> {
  try {
    return await client.get(kindOf(ref), keyFor(ref));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Discovery may be of the time before a version or a definition was removed.
    if (isUnservedPath(error)) client.mapper.reset();
    else if (error.reason !== 'NoMatch') return undefinedIfAbsent(error);
  }
  const { group, kind } = kindOf(ref);
  try {
    return await client.get({ group, kind }, keyFor(ref));
  } catch (error) {
    return undefinedIfAbsent(error);
  }
}

/** A 404 that is of no object. */
function isUnservedPath({ code, status }: ApiError): boolean {
  return code === 404 && status.details?.name === undefined;
}

/** What cannot be named, because it lacks a namespace or has one that its kind does not have, does not exist. */
function undefinedIfAbsent(error: unknown): undefined {
  const isAbsent =
    error instanceof ApiError &&
    (error.code === 404 || error.reason === 'NoMatch' || error.reason === 'InvalidRequest');
  if (!isAbsent) throw error;
}

async function remove(
  client: Client,
  live: Stored,
  propagationPolicy: 'Background' | 'Foreground',
): Promise<Stored> {
  const { uid, resourceVersion } = live.metadata;
  const preconditions = { uid, resourceVersion };
  await ignoreNotFound(client.delete(kindOf(live), keyOf(live), { preconditions, propagationPolicy }));
  return live;
}

async function answer(call: Promise<Stored>): Promise<Answer> {
  try {
    return { ok: true, object: await call };
  } catch (error) {
    if (error instanceof ApiError && error.code >= 400 && !error.retryable)
      return { ok: false, status: statusWithoutValues(error.status) };
    throw error;
  }
}

function kindOf({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): KindRef {
  return { ...parseApiVersion(apiVersion), kind };
}

function keyFor({ namespace, name }: ObjectRef): { readonly namespace?: string; readonly name: string } {
  return namespace === '' ? { name } : { namespace, name };
}
