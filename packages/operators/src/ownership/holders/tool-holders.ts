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
  const isOnlyOurs = (path: Path): boolean => {
    const owners = claims.filter(({ set }) => set.has(path));
    return owners.length > 0 && owners.every(isOurs);
  };
  return [
    ...new Set([
      ...markHolders(live, isOnlyOurs),
      ...referenceHolders(live, isOnlyOurs),
      ...claims.filter(isApplier).map(({ owner }) => describeOwner(owner)),
    ]),
  ];
}

function isOurs({ owner }: Claim): boolean {
  return owner.manager === FIELD_MANAGER;
}

function markHolders(live: Stored, isOnlyOurs: (path: Path) => boolean): readonly string[] {
  return toolMarks(live)
    .filter(({ on, key: mark }) => !isOnlyOurs([field('metadata'), field(on), field(mark)]))
    .map(({ title }) => title);
}

function referenceHolders(live: Stored, isOnlyOurs: (path: Path) => boolean): readonly string[] {
  return (live.metadata.ownerReferences ?? [])
    .filter(({ uid }) => !isOnlyOurs([field('metadata'), field('ownerReferences'), key({ uid })]))
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
