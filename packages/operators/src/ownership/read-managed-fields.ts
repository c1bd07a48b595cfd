import { KubeError, type KubeObject, type ManagedFieldsEntry } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';

/** The owner of an entry of `metadata.managedFields`. */
export type Owner = {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly apiVersion: string;
};

/** A decoded entry of `metadata.managedFields`. `entry` is the original, to send it back unchanged. */
export type Claim = {
  readonly owner: Owner;
  readonly entry: ManagedFieldsEntry;
  readonly set: FieldSet;
};

/** Our own claim, or the one that a rewrite begins. */
export type OwnClaim = Pick<Claim, 'owner' | 'set'>;

/** An entry that the server cannot decode. One is enough for it to ignore a whole rewrite with HTTP 200. */
export type UndecodableEntry = { readonly manager: string; readonly problem: string };

export type Claims = { readonly claims: readonly Claim[]; readonly undecodable: readonly UndecodableEntry[] };

/** Decodes all entries. Never throws: entries that cannot be decoded are listed in `undecodable`. */
export function readManagedFields(object: KubeObject): Claims {
  const claims: Claim[] = [];
  const undecodable: UndecodableEntry[] = [];
  for (const entry of object.metadata.managedFields ?? []) {
    const read = readEntry(entry);
    if (typeof read === 'string') undecodable.push({ manager: entry.manager ?? '', problem: read });
    else claims.push(read);
  }
  return { claims, undecodable };
}

function readEntry(entry: ManagedFieldsEntry): Claim | string {
  const problem = problemOf(entry);
  if (problem !== undefined) return problem;
  try {
    return { owner: ownerOf(entry), entry, set: FieldSet.parse(entry.fieldsV1 ?? {}) };
  } catch (error) {
    if (error instanceof KubeError) return error.message;
    throw error;
  }
}

/** What else the server could not decode. */
function problemOf({ operation, apiVersion, fieldsType }: ManagedFieldsEntry): string | undefined {
  if (operation !== 'Apply' && operation !== 'Update') return `operation ${JSON.stringify(operation ?? '')}`;
  if (apiVersion === undefined || apiVersion === '') return 'no apiVersion';
  return fieldsType === 'FieldsV1' ? undefined : `fieldsType ${JSON.stringify(fieldsType ?? '')}`;
}

function ownerOf({ manager, operation, subresource, apiVersion }: ManagedFieldsEntry): Owner {
  return {
    manager: manager ?? '',
    operation: operation === 'Apply' ? 'Apply' : 'Update',
    subresource: subresource ?? '',
    apiVersion: apiVersion ?? '',
  };
}

/**
 * The key of an entry on the server. The apiVersion of an Apply entry is not part of it: a second Apply entry of a
 * manager replaces the first.
 */
export function identityOf(owner: Owner): string {
  const { manager, operation, subresource, apiVersion } = owner;
  return JSON.stringify([manager, operation, subresource, operation === 'Apply' ? '' : apiVersion]);
}

/** The Apply entry of `manager` on the main resource: what its next apply may prune. */
export function ownClaim(claims: readonly Claim[], manager: string): Claim | undefined {
  return claims.find(
    ({ owner }) => owner.manager === manager && owner.operation === 'Apply' && owner.subresource === '',
  );
}

/** The owner of the Apply entry of a manager that has none yet. */
export function newOwner({
  manager,
  apiVersion,
}: {
  readonly manager: string;
  readonly apiVersion: string;
}): Owner {
  return { manager, operation: 'Apply', subresource: '', apiVersion };
}

/** The field set of that entry; empty if there is none. */
export function ownSet(object: KubeObject, manager: string): FieldSet {
  return ownClaim(readManagedFields(object).claims, manager)?.set ?? FieldSet.EMPTY;
}

/** `Go-http-client (Update)`, `kube-controller-manager (Update of scale)`. */
export function describeOwner({ manager, operation, subresource }: Owner): string {
  return `${manager || 'an unnamed manager'} (${operation}${subresource === '' ? '' : ` of ${subresource}`})`;
}

/** The field manager of such a description. */
export function managerOf(described: string): string {
  return described.slice(0, described.lastIndexOf(' ('));
}
