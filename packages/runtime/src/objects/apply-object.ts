import { type ApplyOptions, ignoreNotFound, keyOf, type Ref } from '@kubewright/client';
import type { ApplyConfiguration, KubeObject, Stored } from '@kubewright/kube';
import type { Cache } from '../cache/cache.ts';
import { appliedAlready } from './applied-already.ts';
import type { ManagerClient } from './manager-client.ts';
import { isControlledBy, requireControlledBy, setControllerReference } from './owner-references.ts';

/** `force` is true by default: a controller takes the fields that it decides on. */
export type ApplyObjectOptions<T extends KubeObject = KubeObject> = ApplyOptions & {
  readonly fieldManager: string;
  /** The object as it is known, usually from the cache. Absent: always applies. */
  readonly live?: Stored<T> | undefined;
};

/**
 * Server-side apply of exactly the fields that `fieldManager` owns. Sends no request when `live` has them already.
 *
 * @returns the object as stored, or `live` itself when nothing had to be written.
 */
export async function applyObject<T extends KubeObject>(
  { client }: ManagerClient,
  ref: Ref<T>,
  wanted: ApplyConfiguration<NoInfer<T>>,
  { live, ...options }: ApplyObjectOptions<T>,
): Promise<Stored<T>> {
  if (live !== undefined && appliedAlready(live, wanted as KubeObject, options.fieldManager)) return live;
  return client.apply(ref, wanted, { force: true, ...options });
}

export type ApplyOwnedOptions = ApplyOptions & {
  readonly fieldManager: string;
  /** Adopts an object of this name that has no controller. Default false. */
  readonly adopt?: boolean;
};

/**
 * {@link applyObject} of an object whose controller is `owner`. Reads the cache first, and the server before it creates
 * anything: throws `AlreadyOwned` for an object of this name that has another controller, or whose controller is a deleted
 * object of the owner's name.
 *
 * Not covered: an object without a controller that is created between that read and the apply.
 */
export async function applyOwned<T extends KubeObject>(
  { client, cache }: ManagerClient & { readonly cache: Cache },
  ref: Ref<T>,
  owner: Stored,
  wanted: ApplyConfiguration<NoInfer<T>>,
  { adopt = false, ...options }: ApplyOwnedOptions,
): Promise<Stored<T>> {
  const owned = setControllerReference(owner, wanted);
  const key = keyOf(owned);
  const cached = cache.get(ref, key);
  const live =
    cached !== undefined && isControlledBy(cached, owner)
      ? cached
      : await ignoreNotFound(client.get(ref, key));
  if (live === undefined) return client.apply(ref, owned, { force: true, ...options });
  const orphan = live.metadata.ownerReferences?.some(({ controller }) => controller === true) !== true;
  if (!(adopt && orphan)) requireControlledBy(live, owner);
  if (appliedAlready(live, owned as KubeObject, options.fieldManager)) return live;
  return client.apply(ref, withUid(owned, live), { force: true, ...options });
}

/** With uid and resourceVersion, the server neither applies it to another object of this name nor creates one. */
function withUid<T extends Pick<KubeObject, 'metadata'>>(object: T, { metadata: { uid } }: Stored): T {
  return { ...object, metadata: { ...object.metadata, uid } };
}
