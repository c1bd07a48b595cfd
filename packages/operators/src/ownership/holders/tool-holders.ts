import type { Stored } from '@kubewright/kube';
import { field, key, type Path } from '@kubewright/kube/fields';
import { toolMarks } from '../../kit/tool-marks.ts';
import { FIELD_MANAGER, PROBE_MANAGER } from '../api.ts';
import { type Claim, describeOwner, readManagedFields } from '../read-managed-fields.ts';

/**
 * What else has an object, by what the object says: a release, an application or an inventory whose mark it has, its
 * owner references, and the field managers that apply it. What only our own manifest put there says nothing.
 */
export function toolHolders(live: Stored): readonly string[] {
  const { claims } = readManagedFields(live);
  const holders = [...markHolders(live), ...referenceHolders(live, claims), ...appliers(live)];
  return [...new Set(holders)];
}

/** The tools whose marks an object has. */
export function markHolders(live: Stored): readonly string[] {
  const { claims } = readManagedFields(live);
  const marks = toolMarks(live)
    .filter(({ on, key: mark }) => !isOnlyOurs(claims, [field('metadata'), field(on), field(mark)]))
    .map(({ title }) => title);
  return [...marks, ...applicationByInstance(live, claims)];
}

const INSTANCE = 'app.kubernetes.io/instance';

/**
 * Argo CD may track its objects by a label that charts set, too (`application.resourceTrackingMethod: label`): it says
 * something where Argo CD has written it.
 */
function applicationByInstance(live: Stored, claims: readonly Claim[]): readonly string[] {
  const name = live.metadata.labels?.[INSTANCE] ?? '';
  const path = [field('metadata'), field('labels'), field(INSTANCE)];
  const isWritten = claims.some(({ owner, set }) => owner.manager.startsWith('argocd-') && set.has(path));
  return isWritten && name !== '' ? [`Argo CD Application ${name}`] : [];
}

/** The field managers that apply an object. One whose entry cannot be read may apply all of it. */
export function appliers(live: Stored): readonly string[] {
  const { claims } = readManagedFields(live);
  const read = new Set(claims.map(({ entry }) => entry));
  const unread = (live.metadata.managedFields ?? [])
    .filter((entry) => !read.has(entry) && entry.operation === 'Apply' && (entry.subresource ?? '') === '')
    .map(({ manager = '' }) => manager)
    .filter((manager) => manager !== FIELD_MANAGER);
  return [
    ...claims.filter(isApplier).map(({ owner }) => describeOwner(owner)),
    ...unread.map((manager) => `${manager} (Apply)`),
  ];
}

function isOnlyOurs(claims: readonly Claim[], path: Path): boolean {
  const owners = claims.filter(({ set }) => set.has(path));
  return owners.length > 0 && owners.every(isOurs);
}

function isOurs({ owner }: Claim): boolean {
  return owner.manager === FIELD_MANAGER;
}

function referenceHolders(live: Stored, claims: readonly Claim[]): readonly string[] {
  return (live.metadata.ownerReferences ?? [])
    .filter(({ uid }) => !isOnlyOurs(claims, [field('metadata'), field('ownerReferences'), key({ uid })]))
    .map(({ kind, name }) => `${kind} ${name} (owner reference)`);
}

/** A manager that applies the object with a manifest of its own. One that only fills in a CA bundle has none. */
function isApplier(claim: Claim): boolean {
  const { operation, subresource, manager } = claim.owner;
  if (operation !== 'Apply' || subresource !== '' || isOurs(claim) || manager === PROBE_MANAGER) return false;
  return !fillsInOnly(claim);
}

function fillsInOnly({ set }: Claim): boolean {
  const fields = [...set.paths()].filter((path) => !identifiesItem(path));
  return fields.length > 0 && fields.every((path) => path.at(-1) === 'f:caBundle');
}

/** The membership of an item of a list, or one of its keys. */
function identifiesItem(path: Path): boolean {
  const [item = '', name = ''] = path.slice(-2);
  if (path.at(-1)?.startsWith('k:') === true) return true;
  return item.startsWith('k:') && Object.hasOwn(JSON.parse(item.slice(2)) as object, name.slice(2));
}
