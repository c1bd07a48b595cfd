import type { Client, ResourceRef } from '@kubewright/client';
import { canonicalJson, getOwn, isJsonObject, type JsonObject, type Named } from '@kubewright/kube';
import { findLive } from './find-live.ts';
import { namedObject } from './named-object.ts';
import { retarget } from './retarget.ts';

/** What a restore does about one object. */
type Planned = {
  /** `unchanged`: it exists as captured. `conflict`: it cannot be restored as captured. */
  readonly action: 'create' | 'unchanged' | 'conflict';
  readonly title: string;
  readonly message: string;
};

/** A step, with the object to create. */
export type RestoreStep = Planned & {
  readonly create?: { readonly ref: ResourceRef; readonly object: Named };
};

export type RestoreNamespaces = { readonly from: string; readonly to: string };

/** Compares one captured object with the cluster. */
export async function planRestore(
  client: Client,
  captured: JsonObject,
  { from, to }: RestoreNamespaces,
): Promise<RestoreStep> {
  const named = namedObject(captured);
  if (named === undefined)
    return { action: 'conflict', title: '?', message: 'it has no apiVersion, kind and name' };
  const object = retarget(named, from, to);
  const title = `${object.kind}/${object.metadata.name}`;
  const conflict = (message: string): RestoreStep => ({ action: 'conflict', title, message });
  const found = await findLive(client, object, to);
  if (found.type === 'unserved') return conflict(found.message);
  if (!found.ref.namespaced && !isNamespace(object))
    return conflict('it has no namespace; create it yourself');
  if (found.type === 'absent')
    return { action: 'create', title, message: noteOf(object), create: { ref: found.ref, object } };
  const live = retarget(found.live, to, to);
  return canonicalJson(live) === canonicalJson(object) || isNamespace(object)
    ? { action: 'unchanged', title, message: '' }
    : conflict(`it exists, and differs in ${differences(object, live)}`);
}

function isNamespace({ apiVersion, kind }: Named): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

/** What a user has to know of an object that cannot come back whole. */
function noteOf({ apiVersion, kind, ...fields }: Named): string {
  if (apiVersion === 'v1' && kind === 'PersistentVolumeClaim')
    return 'a new, empty volume: restore its data with a VolumeRestoreRequest first';
  const data = getOwn(fields, 'data');
  const isRedacted =
    kind === 'Secret' &&
    isJsonObject(data) &&
    Object.values(data).length > 0 &&
    Object.values(data).every((value) => value === '');
  return isRedacted ? 'all its values are empty: was it captured with secrets: Redact?' : '';
}

/** The names of the top-level fields that differ, never their values. */
function differences(a: Named, b: Named): string {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  const text = (object: Named, key: string): string => canonicalJson(getOwn(object, key) ?? null);
  return keys.filter((key) => text(a, key) !== text(b, key)).join(', ');
}
