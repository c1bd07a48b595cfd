import type { Client, ResourceRef } from '@kubewright/client';
import { canonicalJson, getOwn, isJsonObject, type JsonObject, type Named } from '@kubewright/kube';
import { sha256 } from '../requests/names.ts';
import { findLive } from './find-live.ts';
import type { Owned } from './link-owners.ts';
import { orderOf, type RestoreOrder } from './order-of.ts';
import { ownersOf } from './owners-of.ts';
import { BUILT_IN_PROFILES, profileOf } from './restore-profiles.ts';
import { retarget } from './retarget.ts';
import { type RestoreTarget, retargeted } from './retargeted.ts';

/** What a restore does about one object. */
type Planned = {
  /** `unchanged`: it exists as captured. `conflict`: it cannot be restored as captured. */
  readonly action: 'create' | 'unchanged' | 'conflict';
  readonly title: string;
  readonly message: string;
};

/** A step; of an object to create, where, when, and what it is: objects themselves are not held. */
export type RestoreStep = Planned & {
  readonly create?: { readonly ref: ResourceRef; readonly order: RestoreOrder; readonly sha256: string };
  /** Of an object that had owners, and is as captured once the restore is done. */
  readonly owned?: Owned;
};

/** Compares one captured object with the cluster. */
export async function planRestore(
  client: Client,
  captured: JsonObject,
  target: RestoreTarget,
): Promise<RestoreStep> {
  const { to, profiles = BUILT_IN_PROFILES } = target;
  const object = retargeted(captured, target);
  if (object === undefined)
    return { action: 'conflict', title: '?', message: 'it has no apiVersion, kind and name' };
  const title = `${object.kind}/${object.metadata.name}`;
  const conflict = (message: string): RestoreStep => ({ action: 'conflict', title, message });
  const found = await findLive(client, object, to);
  if (found.type === 'unserved') return conflict(found.message);
  if (!found.ref.namespaced && !isNamespace(object))
    return conflict('it has no namespace; create it yourself');
  const owned = ownedBy(captured, object, found.ref, to);
  if (found.type === 'absent') {
    const order = orderOf(object, profiles);
    const create = { ref: found.ref, order, sha256: sha256(canonicalJson(object)) };
    return { action: 'create', title, message: noteOf(object, target), create, ...owned };
  }
  const live = retarget(found.live, to, to);
  return canonicalJson(live) === canonicalJson(object) || isNamespace(object)
    ? { action: 'unchanged', title, message: '', ...owned }
    : conflict(`it exists, and differs in ${differences(object, live)}`);
}

function ownedBy(
  captured: JsonObject,
  { metadata: { name } }: Named,
  ref: ResourceRef,
  namespace: string,
): Pick<RestoreStep, 'owned'> {
  const owners = ownersOf(captured);
  return owners.length === 0 ? {} : { owned: { ref, key: { namespace, name }, owners } };
}

function isNamespace({ apiVersion, kind }: Named): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

/** What a user has to know of an object that cannot come back whole, or not as it was. */
function noteOf(object: Named, { from, to, profiles = BUILT_IN_PROFILES }: RestoreTarget): string {
  const { inCopy, note = '' } = profileOf(profiles, object) ?? {};
  if (inCopy !== undefined && from !== to) return note;
  if (object.apiVersion === 'v1' && object.kind === 'PersistentVolumeClaim')
    return 'a new, empty volume: restore its data with a VolumeRestoreRequest first';
  return isRedacted(object) ? 'all its values are empty: was it captured with secrets: Redact?' : '';
}

function isRedacted({ kind, ...fields }: Named): boolean {
  const data = getOwn(fields, 'data');
  if (kind !== 'Secret' || !isJsonObject(data)) return false;
  const values = Object.values(data);
  return values.length > 0 && values.every((value) => value === '');
}

/** The names of the top-level fields that differ, never their values. */
function differences(a: Named, b: Named): string {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  const text = (object: Named, key: string): string => canonicalJson(getOwn(object, key) ?? null);
  return keys.filter((key) => text(a, key) !== text(b, key)).join(', ');
}
