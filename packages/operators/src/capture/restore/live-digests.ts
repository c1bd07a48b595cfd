import { ApiError, type Client, type ResourceRef } from '@kubewright/client';
import { canonicalJson, type KubeObject } from '@kubewright/kube';
import { sha256 } from '../requests/names.ts';
import { retarget } from './retarget.ts';

/** What a plan knows of the objects of a namespace without a request for each. */
export type LiveDigests = {
  /** One more object of this kind was found. */
  readonly found: (ref: ResourceRef) => void;
  /**
   * The SHA-256 of an object as a restore would create it; `absent` where there is none of that name; undefined where the
   * kind was not listed.
   */
  readonly of: (ref: ResourceRef, name: string) => Promise<string | undefined>;
};

/** Where so many of a kind exist, most of the others do: the restore is run again. */
const FOUND = 20;
/** Objects of a page, which is all that is held. */
const PAGE = 250;

/**
 * Lists a kind once, when many of its objects are found to exist, so that a restore that is run again needs no request
 * for those that are as they were captured. A list is of one moment, as a read would be: what has changed since is seen
 * at the write.
 */
export function liveDigests(client: Client, namespace: string): LiveDigests {
  const counts = new Map<string, number>();
  const lists = new Map<string, Promise<ReadonlyMap<string, string> | undefined>>();
  return {
    found(ref) {
      const key = keyOf(ref);
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count !== FOUND || !ref.namespaced) return;
      const list = readAll(client, ref, namespace);
      // Whoever awaits it gets the error, and maybe nobody does.
      list.catch(() => undefined);
      lists.set(key, list);
    },
    async of(ref, name) {
      const known = await lists.get(keyOf(ref));
      return known === undefined ? undefined : (known.get(name) ?? 'absent');
    },
  };
}

function keyOf({ group, version, resource }: ResourceRef): string {
  return `${group}/${version}/${resource}`;
}

/** Not everybody may list what they may get. */
async function readAll(
  client: Client,
  ref: ResourceRef,
  namespace: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const digests = new Map<string, string>();
  try {
    let token: string | undefined;
    do {
      const page = await client.list<KubeObject>(ref, { namespace, limit: PAGE, continue: token });
      for (const object of page.items)
        digests.set(object.metadata.name, sha256(canonicalJson(retarget(object, namespace, namespace))));
      token = page.continue;
    } while (token !== undefined);
    return digests;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
