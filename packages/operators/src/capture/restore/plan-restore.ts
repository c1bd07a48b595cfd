import type { Client, ResourceRef } from '@kubewright/client';
import { canonicalJson, getOwn, isJsonObject, type JsonObject, type Named } from '@kubewright/kube';
import { findLive } from './find-live.ts';
import { sha256 } from '../requests/names.ts';
import { retarget } from './retarget.ts';
import { type RestoreNamespaces, retargeted } from './retargeted.ts';

/** What a restore does about one object. */
type Planned = {
  /** `unchanged`: it exists as captured. `conflict`: it cannot be restored as captured. */
  readonly action: 'create' | 'unchanged' | 'conflict';
  readonly title: string;
  readonly message: string;
};

/** A step; of an object to create, where, and what it is: objects themselves are not held. */
export type RestoreStep = Planned & {
  readonly create?: { readonly ref: ResourceRef; readonly sha256: string };
};

/** Compares one captured object with the cluster. */
export async function planRestore(
  client: Client,
  captured: JsonObject,
  namespaces: RestoreNamespaces,
): Promise<RestoreStep> {
  const { to } = namespaces;
  const object = retargeted(captured, namespaces);
  if (object === undefined)
    return { action: 'conflict', title: '?', message: 'it has no apiVersion, kind and name' };
  const title = `${object.kind}/${object.metadata.name}`;
  const conflict = (message: string): RestoreStep => ({ action: 'conflict', title, message });
  const found = await findLive(client, object, to);
  if (found.type === 'unserved') return conflict(found.message);
  if (!found.ref.namespaced && !isNamespace(object))
    return conflict('it has no namespace; create it yourself');
  if (found.type === 'absent') {
    const create = { ref: found.ref, sha256: sha256(canonicalJson(object)) };
    return { action: 'create', title, message: noteOf(object), create };
  }
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
