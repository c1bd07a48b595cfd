import type { Json, Stored } from '@kubewright/kube';
import { field, key, type Path } from '@kubewright/kube/fields';
import { FIELD_MANAGER, PROBE_MANAGER } from '../api.ts';
import { type Claim, describeOwner, readManagedFields } from '../read-managed-fields.ts';

type Marks = Readonly<Record<string, string>>;

/** How a tool marks the objects that it manages. `of` names what has the object. */
type Mark = {
  readonly on: 'labels' | 'annotations';
  readonly key: string;
  readonly of: (value: string, marks: { readonly labels: Marks; readonly annotations: Marks }) => string;
};

const inNamespace = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;

const MARKS: readonly Mark[] = [
  {
    on: 'annotations',
    key: 'meta.helm.sh/release-name',
    of: (name, { annotations }) =>
      `Helm release ${inNamespace(annotations['meta.helm.sh/release-namespace'], name)}`,
  },
  {
    on: 'annotations',
    key: 'argocd.argoproj.io/tracking-id',
    // APPLICATION:GROUP/KIND:NAMESPACE/NAME
    of: (id) => `Argo CD Application ${id.split(':')[0] ?? ''}`,
  },
  { on: 'labels', key: 'argocd.argoproj.io/instance', of: (name) => `Argo CD Application ${name}` },
  {
    on: 'labels',
    key: 'kustomize.toolkit.fluxcd.io/name',
    of: (name, { labels }) =>
      `Flux Kustomization ${inNamespace(labels['kustomize.toolkit.fluxcd.io/namespace'], name)}`,
  },
  {
    on: 'labels',
    key: 'helm.toolkit.fluxcd.io/name',
    of: (name, { labels }) =>
      `Flux HelmRelease ${inNamespace(labels['helm.toolkit.fluxcd.io/namespace'], name)}`,
  },
  { on: 'labels', key: 'applyset.kubernetes.io/part-of', of: (id) => `ApplySet ${id}` },
  { on: 'annotations', key: 'config.k8s.io/owning-inventory', of: (id) => `inventory ${id}` },
  { on: 'labels', key: 'kapp.k14s.io/app', of: (id) => `kapp application ${id}` },
];

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
  const marks = {
    labels: stringsOf(live.metadata.labels),
    annotations: stringsOf(live.metadata.annotations),
  };
  return MARKS.flatMap(({ on, key: mark, of }) => {
    const value = marks[on][mark] ?? '';
    return value === '' || isOnlyOurs([field('metadata'), field(on), field(mark)]) ? [] : [of(value, marks)];
  });
}

/** Own strings alone: whoever writes an object chooses its keys. */
function stringsOf(map: Json | undefined): Marks {
  const pairs = typeof map === 'object' && map !== null ? Object.entries(map) : [];
  return Object.assign(
    Object.create(null) as Record<string, string>,
    Object.fromEntries(pairs.filter(([, value]) => typeof value === 'string')),
  );
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
