import { type Client, ignoreNotFound, type ResourceRef } from '@kubewright/client';
import { canonicalJson, defined, getOwn, type JsonObject, type Named, type Stored } from '@kubewright/kube';
import { absentReferences, type KnownNames } from './absent-references.ts';
import { sha256 } from '../requests/names.ts';
import { type ChangeMode, changeOf } from './change-live.ts';
import { type CheckedWrite, checkWrite } from './check-write.ts';
import { checkSource, lacksSource } from './claim-source.ts';
import { keyIn, resolveRef } from './resolve-ref.ts';
import { RESTORE_FIELD_MANAGER, type Owned } from './link-owners.ts';
import type { LiveDigests } from './live-digests.ts';
import { notesOf } from './notes-of.ts';
import { orderOf, type RestoreOrder } from './order-of.ts';
import { ownersOf } from './owners-of.ts';
import { BUILT_IN_PROFILES } from './restore-profiles.ts';
import { isDefaultAccount, isUnchangedAccount } from './default-account.ts';
import { retarget } from './retarget.ts';
import { type RestoreTarget, retargeted } from './retargeted.ts';
import { whyNotAgain } from './why-not-again.ts';
import { whyNotElsewhere } from './why-not-elsewhere.ts';

/** What a restore does about one object. */
type Planned = {
  /**
   * `unchanged`: it exists as captured. `update`, `replace`: it exists, and is changed, see {@link ChangeMode}.
   * `conflict`: it cannot be restored as captured. `rejected`: the server would not accept it. `left out`: it has no
   * meaning anywhere else.
   */
  readonly action: 'create' | 'unchanged' | ChangeMode | 'conflict' | 'rejected' | 'left out';
  readonly title: string;
  readonly message: string;
};

/** Where an object is written, when, and what it is: objects themselves are not held. */
type PlannedWrite = {
  readonly ref: ResourceRef;
  readonly order: RestoreOrder;
  readonly sha256: string;
};

/** A step of a restore. */
export type RestoreStep = Planned & {
  /** Of an object to create or to change. */
  readonly write?: PlannedWrite;
  /** Of an object that the server rejected: the name of another one that has to be there first. */
  readonly missing?: string;
  /** Of an object that had owners. */
  readonly owned?: Owned;
};

/** How much the server is asked about what a restore would write. */
type ServerCheck =
  /** Each write is sent as a dry run: admission, quotas and webhooks decide about it before the first write. */
  | 'dryRun'
  /** Only whether there is an object of that name. */
  | 'read'
  /** Nothing: the namespace does not exist, and thus nothing in it. */
  | 'none';

/** What becomes of objects that exist and differ. */
export const EXISTING_POLICIES = ['fail', 'skip', 'update', 'replace'] as const;
export type ExistingPolicy = (typeof EXISTING_POLICIES)[number];

export type PlanOptions = {
  readonly check: ServerCheck;
  readonly existing: ExistingPolicy;
  readonly known: KnownNames;
  readonly live: LiveDigests;
};

/** Compares one captured object with the cluster. */
export async function planRestore(
  client: Client,
  captured: JsonObject,
  target: RestoreTarget,
  options: PlanOptions,
): Promise<RestoreStep> {
  const object = retargeted(captured, target);
  if (object === undefined)
    return { action: 'conflict', title: '?', message: 'it has no apiVersion, kind and name' };
  const title = `${object.kind}/${object.metadata.name}`;
  const leftOut = whyNotElsewhere(captured) ?? whyNotAgain(captured);
  if (leftOut !== undefined) return { action: 'left out', title, message: leftOut };
  const ref = await resolveRef(client, object);
  if ('unserved' in ref) return { action: 'conflict', title, message: ref.unserved };
  if (!ref.namespaced && !isNamespace(object))
    return { action: 'conflict', title, message: 'it has no namespace; create it yourself' };
  const planned = await planWrite(client, { captured, object, ref, title }, target, options);
  return { ...planned, ...ownedBy(captured, object, ref, target.to) };
}

type Wanted = {
  readonly captured: JsonObject;
  readonly object: Named;
  readonly ref: ResourceRef;
  readonly title: string;
};

/** Where a list has shown the object already, the server is not asked whether it could be created. */
async function planWrite(
  client: Client,
  wanted: Wanted,
  target: RestoreTarget,
  options: PlanOptions,
): Promise<RestoreStep> {
  const { object, ref, title } = wanted;
  const digest = await options.live.of(ref, object.metadata.name);
  if (digest === undefined || digest === 'absent') return planUnlisted(client, wanted, target, options);
  if (digest === writeOf(wanted, target).sha256) return { action: 'unchanged', title, message: '' };
  const live = await ignoreNotFound(client.get(ref, keyIn(ref, object, target.to)));
  return live === undefined
    ? planUnlisted(client, wanted, target, options)
    : planChange(client, { ...wanted, live }, target, options);
}

async function planUnlisted(
  client: Client,
  wanted: Wanted,
  target: RestoreTarget,
  options: PlanOptions,
): Promise<RestoreStep> {
  const { object, ref } = wanted;
  const { check } = options;
  const isChecked = check === 'dryRun' && !isNamespace(object);
  const checked = isChecked ? await checkWrite(() => client.create(ref, object, DRY_RUN)) : undefined;
  // A server that accepts it has none of that name; one that rejects it may have.
  const isAbsent = checked?.type === 'accepted' || (check === 'none' && ref.namespaced);
  const live = isAbsent ? undefined : await ignoreNotFound(client.get(ref, keyIn(ref, object, target.to)));
  if (live !== undefined) {
    options.live.found(ref);
    return planChange(client, { ...wanted, live }, target, options);
  }
  const ofData = isChecked ? await checkSource(client, object, target.to, target.snapshots) : undefined;
  return planCreate(wanted, target, { checked: ofData ?? checked, known: options.known });
}

async function planCreate(
  wanted: Wanted,
  target: RestoreTarget,
  { checked, known }: { readonly checked: CheckedWrite | undefined; readonly known: KnownNames },
): Promise<RestoreStep> {
  const { captured, object, title } = wanted;
  if (lacksSource(captured, object, target.snapshots)) return { action: 'conflict', title, message: GONE };
  const write = writeOf(wanted, target);
  if (checked?.type === 'rejected') return { ...rejectedAs(title, checked), write };
  const unchecked = checked?.type === 'unchecked' ? [checked.message] : [];
  const absent = await absentReferences(object, known);
  const message = [...notesOf(captured, object, target), ...absent, ...unchecked].join('; ');
  return { action: 'create', title, message, write };
}

/** An application that starts with an empty volume may make its loss final. */
const GONE = 'the snapshot of its volume is gone: without --volumes it is made empty';

const DRY_RUN = { fieldManager: RESTORE_FIELD_MANAGER, dryRun: true } as const;

async function planChange(
  client: Client,
  wanted: Wanted & { readonly live: Stored },
  target: RestoreTarget,
  { check, existing }: PlanOptions,
): Promise<RestoreStep> {
  const { object, ref, live, title } = wanted;
  const { to } = target;
  const found = retarget(live, to, to);
  if (canonicalJson(found) === canonicalJson(object)) return { action: 'unchanged', title, message: '' };
  const differs = `differs in ${differences(object, found)}`;
  if (isNamespace(object)) return { action: 'unchanged', title, message: `${differs}, which stays` };
  const mode = modeFor(existing, object, live);
  if (mode === undefined) return { action: 'conflict', title, message: `it exists, and ${differs}` };
  const body = changeOf(live, { object, mode }, to);
  if (body === undefined) return { action: 'unchanged', title, message: `${differs}, which stays` };
  const patch = (): Promise<unknown> =>
    client.patch(ref, keyIn(ref, object, to), { type: 'merge', body }, DRY_RUN);
  const checked = check === 'dryRun' ? await checkWrite(patch) : undefined;
  if (checked?.type === 'rejected') return rejectedAs(title, { message: checked.message });
  const unchecked = checked?.type === 'unchecked' ? `; ${checked.message}` : '';
  return { action: mode, title, message: `${differs}${unchecked}`, write: writeOf(wanted, target) };
}

/** The account that each namespace has from the start is changed as long as nobody has changed it. */
function modeFor(existing: ExistingPolicy, object: Named, live: Stored): ChangeMode | undefined {
  if (existing === 'update' || existing === 'replace') return existing;
  return isDefaultAccount(object) && isUnchangedAccount(live) ? 'update' : undefined;
}

function writeOf({ object, ref }: Wanted, { profiles = BUILT_IN_PROFILES }: RestoreTarget): PlannedWrite {
  return { ref, order: orderOf(object, profiles), sha256: sha256(canonicalJson(object)) };
}

function rejectedAs(title: string, { message, missing }: { message: string; missing?: string }): RestoreStep {
  return { action: 'rejected', title, message, ...defined({ missing }) };
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
