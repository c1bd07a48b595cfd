import type { Client, Discovered, ResourceRef } from '@kubewright/client';
import { controllerOf, corev1, type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
import { ANNOTATIONS, type Kausality, type ObjectPlace } from '../../api.ts';
import { viewOf } from '../../annotations/recorded-view.ts';
import { hashesOf } from '../../annotations/user-hash.ts';
import { readPlace } from '../../records/read-place.ts';
import { readProfiles } from '../read-profiles.ts';
import { policyFor } from '../../policy/policy-for.ts';

/** What policies track, from a look at the objects that are there. */
export type Tracked = {
  /** The resources that policies name. */
  readonly children: readonly ResourceRef[];
  /** The kinds that own such objects. */
  readonly parents: readonly Pick<KubeObject, 'apiVersion' | 'kind'>[];
  /** Some of each of these kinds. */
  readonly owners: readonly Stored[];
  /** Hashes of the users who write the statuses of such objects. */
  readonly controllers: ReadonlySet<string>;
};

/** Of each resource so many objects are looked at: kinds of owners repeat. */
const MOST = 500;

export async function readTracked(
  client: Client,
  policies: readonly Kausality[],
  { resources }: Discovered,
): Promise<Tracked> {
  const named = resources
    .filter(({ ref, verbs }) => verbs.includes('list') && policies.some((one) => isNamed(one, ref)))
    .map(({ ref }) => ref);
  const labels = await namespaceLabels(client);
  const objects: Stored[] = [];
  for (const ref of named) {
    const { items } = await client.list(ref, { limit: MOST });
    objects.push(...items.filter((object) => isTracked(object, ref, policies, labels)));
  }
  const owners = objects.flatMap((object) => controllerOf(object) ?? []);
  const byKind = new Map(
    owners.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }]),
  );
  return {
    children: named,
    parents: [...byKind.values()],
    owners: await readOwners(client, objects),
    controllers: new Set(objects.flatMap((object) => hashesOf(viewOf(object), ANNOTATIONS.controllers))),
  };
}

/** Of each kind so many owners are looked at. */
const MOST_OWNERS = 3;

async function readOwners(client: Client, objects: readonly Stored[]): Promise<readonly Stored[]> {
  const places = new Map<string, ObjectPlace>();
  const counts = new Map<string, number>();
  for (const { metadata } of objects) {
    const owner = controllerOf({ metadata });
    const kind = `${owner?.apiVersion} ${owner?.kind}`;
    const count = counts.get(kind) ?? 0;
    if (owner === undefined || places.has(owner.uid) || count >= MOST_OWNERS) continue;
    counts.set(kind, count + 1);
    const { apiVersion, kind: ownerKind, name } = owner;
    places.set(owner.uid, { apiVersion, kind: ownerKind, namespace: metadata.namespace ?? '', name });
  }
  // What may not be read, the check of rights tells.
  const read = [...places.values()].map((place) => readPlace(client, place).catch(() => undefined));
  const noted = await readProfiles(client);
  return (await Promise.all(read)).flatMap((one) => (one === undefined ? [] : [noted(one)]));
}

/** Whether a policy names a resource, in whatever namespace. */
export function isNamed({ spec }: Kausality, { group, resource }: ResourceRef): boolean {
  return spec.resources.some(
    ({ apiGroups, resources, excluded = [] }) =>
      apiGroups.includes(group) &&
      (resources.includes(resource) || (resources.includes('*') && !excluded.includes(resource))),
  );
}

/** The resource of a kind, in whatever version. */
export function resourceOfKind(
  { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>,
  { resources }: Discovered,
): ResourceRef | undefined {
  const { group } = parseApiVersion(apiVersion);
  return resources.find(({ ref }) => ref.group === group && ref.kind === kind)?.ref;
}

type Labels = Readonly<Record<string, string>>;

function isTracked(
  { metadata }: Stored,
  { group, resource }: ResourceRef,
  policies: readonly Kausality[],
  labels: ReadonlyMap<string, Labels>,
): boolean {
  const { namespace = '', labels: own = {} } = metadata;
  const target = { group, resource, namespace, namespaceLabels: labels.get(namespace) ?? {}, labels: [own] };
  return policyFor(policies, target) !== undefined;
}

async function namespaceLabels(client: Client): Promise<ReadonlyMap<string, Labels>> {
  const { items } = await client.list(corev1.namespaces);
  return new Map(items.map(({ metadata: { name, labels = {} } }) => [name, labels]));
}
