import { defined, type Json, type Stored } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import { type Claim, type Owner, readManagedFields } from '../read-managed-fields.ts';
import { claimsWithin } from './describe-owners.ts';
import type { FieldPath } from './field-path/resolve-field-path.ts';
import type { Removal } from './find-removal.ts';

/** The JSON output of `kubewright owners`. Paths are formatted as in the server's conflicts. */
export function ownerFindings(live: Stored, path: FieldPath | undefined, removal: Removal | undefined): Json {
  const { claims, undecodable } = readManagedFields(live);
  const shown = claimsWithin(claims, path?.pattern);
  const { namespace, name } = live.metadata;
  return defined({
    object: defined({ apiVersion: live.apiVersion, kind: live.kind, namespace, name }),
    path: path && defined(path),
    managers: shown.map(({ owner, entry, set }) =>
      defined({ ...nameOf(owner), time: entry.time, fields: set.size }),
    ),
    fields: fieldsOf(shown),
    undecodable: undecodable.map((entry) => ({ ...entry })),
    removal: removal && { ...removal },
  });
}

function nameOf({ manager, operation, subresource, apiVersion }: Owner) {
  return defined({
    manager,
    operation,
    apiVersion,
    subresource: subresource === '' ? undefined : subresource,
  });
}

/** Each owned path once, with all managers that own exactly it. */
function fieldsOf(claims: readonly Claim[]): Json {
  const owners = new Map<string, Owner[]>();
  for (const { owner, set } of claims) {
    for (const path of set.paths()) {
      const text = formatPath(path);
      owners.set(text, [...(owners.get(text) ?? []), owner]);
    }
  }
  return [...owners].map(([path, all]) => ({ path, owners: all.map(nameOf) }));
}
