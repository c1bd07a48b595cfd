import { type Client, ignoreNotFound, type ResourceRef } from '@kubewright/client';
import { canonicalJson, defined, getOwn, type JsonObject, type Named } from '@kubewright/kube';
import { sha256 } from '../requests/names.ts';
import { type CheckedWrite, checkWrite } from './check-write.ts';
import { keyIn, resolveRef } from './resolve-ref.ts';
import { RESTORE_FIELD_MANAGER, type Owned } from './link-owners.ts';
import { notesOf } from './notes-of.ts';
import { orderOf, type RestoreOrder } from './order-of.ts';
import { ownersOf } from './owners-of.ts';
import { BUILT_IN_PROFILES } from './restore-profiles.ts';
import { retarget } from './retarget.ts';
import { type RestoreTarget, retargeted } from './retargeted.ts';

/** What a restore does about one object. */
type Planned = {
  /**
   * `unchanged`: it exists as captured. `conflict`: it cannot be restored as captured. `rejected`: the server would not
   * accept it.
   */
  readonly action: 'create' | 'unchanged' | 'conflict' | 'rejected';
  readonly title: string;
  readonly message: string;
};

/** A step; of an object to create, where, when, and what it is: objects themselves are not held. */
export type RestoreStep = Planned & {
  readonly create?: { readonly ref: ResourceRef; readonly order: RestoreOrder; readonly sha256: string };
  /** Of an object that the server rejected: the name of another one that has to be there first. */
  readonly missing?: string;
  /** Of an object that had owners. */
  readonly owned?: Owned;
};

/** How much the server is asked about what a restore would write. */
export type ServerCheck =
  /** Each write is sent as a dry run: admission, quotas and webhooks decide about it before the first write. */
  | 'dryRun'
  /** Only whether there is an object of that name. */
  | 'read'
  /** Nothing: the namespace does not exist, and thus nothing in it. */
  | 'none';

/** Compares one captured object with the cluster. */
export async function planRestore(
  client: Client,
  captured: JsonObject,
  target: RestoreTarget,
  check: ServerCheck,
): Promise<RestoreStep> {
  const object = retargeted(captured, target);
  if (object === undefined)
    return { action: 'conflict', title: '?', message: 'it has no apiVersion, kind and name' };
  const title = `${object.kind}/${object.metadata.name}`;
  const ref = await resolveRef(client, object);
  if ('unserved' in ref) return { action: 'conflict', title, message: ref.unserved };
  if (!ref.namespaced && !isNamespace(object))
    return { action: 'conflict', title, message: 'it has no namespace; create it yourself' };
  const planned = await planWrite(client, { captured, object, ref, title }, target, check);
  return { ...planned, ...ownedBy(captured, object, ref, target.to) };
}

type Wanted = {
  readonly captured: JsonObject;
  readonly object: Named;
  readonly ref: ResourceRef;
  readonly title: string;
};

async function planWrite(
  client: Client,
  { captured, object, ref, title }: Wanted,
  target: RestoreTarget,
  check: ServerCheck,
): Promise<RestoreStep> {
  const isChecked = check === 'dryRun' && !isNamespace(object);
  const options = { fieldManager: RESTORE_FIELD_MANAGER, dryRun: true };
  const checked = isChecked ? await checkWrite(() => client.create(ref, object, options)) : undefined;
  // A server that accepts it has none of that name; one that rejects it may have.
  const isAbsent = checked?.type === 'accepted' || (check === 'none' && ref.namespaced);
  const live = isAbsent ? undefined : await ignoreNotFound(client.get(ref, keyIn(ref, object, target.to)));
  if (live !== undefined) return compared(object, retarget(live, target.to, target.to), title);
  return planCreate({ captured, object, ref, title }, target, checked);
}

function planCreate(
  { captured, object, ref, title }: Wanted,
  target: RestoreTarget,
  checked: CheckedWrite | undefined,
): RestoreStep {
  const order = orderOf(object, target.profiles ?? BUILT_IN_PROFILES);
  const create = { ref, order, sha256: sha256(canonicalJson(object)) };
  if (checked?.type === 'rejected') {
    const { message, missing } = checked;
    return { action: 'rejected', title, message, create, ...defined({ missing }) };
  }
  const unchecked = checked?.type === 'unchecked' ? [checked.message] : [];
  const message = [...notesOf(captured, object, target), ...unchecked].join('; ');
  return { action: 'create', title, message, create };
}

function compared(object: Named, live: Named, title: string): RestoreStep {
  return canonicalJson(live) === canonicalJson(object) || isNamespace(object)
    ? { action: 'unchanged', title, message: '' }
    : { action: 'conflict', title, message: `it exists, and differs in ${differences(object, live)}` };
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

/** The names of the top-level fields that differ, never their values. */
function differences(a: Named, b: Named): string {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  const text = (object: Named, key: string): string => canonicalJson(getOwn(object, key) ?? null);
  return keys.filter((key) => text(a, key) !== text(b, key)).join(', ');
}
