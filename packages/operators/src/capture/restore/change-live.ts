import { type Client, isConflict, type ResourceRef } from '@kubewright/client';
import { getOwn, isJsonObject, type Json, type JsonObject, type Named, type Stored } from '@kubewright/kube';
import { diffMergePatch } from '@kubewright/kube/patch';
import { RESTORE_FIELD_MANAGER } from './link-owners.ts';
import { keyIn } from './resolve-ref.ts';
import { retarget } from './retarget.ts';

/** How a live object becomes as captured: `update` keeps what it has beside that, `replace` removes it. */
export type ChangeMode = 'update' | 'replace';

/** An object as it is to be. */
export type Change = { readonly ref: ResourceRef; readonly object: Named; readonly mode: ChangeMode };

/** Who writes at the same moment writes once. */
const ATTEMPTS = 5;

/**
 * Changes a live object in place, with its resourceVersion. What the server and controllers have set in it stays: its
 * uid, its address, its volume. Rejects with NotFound where it is gone.
 */
export async function changeLive(client: Client, change: Change, namespace: string): Promise<void> {
  const { ref, object } = change;
  const key = keyIn(ref, object, namespace);
  for (let attempt = 1; ; attempt++) {
    const patch = changeOf(await client.get(ref, key), change, namespace);
    if (patch === undefined) return;
    try {
      const options = { fieldManager: RESTORE_FIELD_MANAGER };
      await client.patch(ref, key, { type: 'merge', body: patch }, options);
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The merge patch that makes the live object as captured; undefined where it is so. */
export function changeOf(
  live: Stored,
  { object, mode }: Pick<Change, 'object' | 'mode'>,
  namespace: string,
): JsonObject | undefined {
  const patch = diffMergePatch(retarget(live, namespace, namespace), object);
  const wanted = mode === 'update' ? withoutRemovals(patch) : patch;
  if (Object.keys(wanted).length === 0) return undefined;
  const metadata = getOwn(wanted, 'metadata');
  const { resourceVersion } = live.metadata;
  return { ...wanted, metadata: { ...(isJsonObject(metadata) ? metadata : {}), resourceVersion } };
}

function withoutRemovals(patch: JsonObject): JsonObject {
  const entries = Object.entries(patch).flatMap(([key, value]): [string, Json][] => {
    if (value === null) return [];
    if (!isJsonObject(value)) return [[key, value]];
    const kept = withoutRemovals(value);
    return Object.keys(kept).length === 0 && Object.keys(value).length > 0 ? [] : [[key, kept]];
  });
  return Object.fromEntries(entries);
}
