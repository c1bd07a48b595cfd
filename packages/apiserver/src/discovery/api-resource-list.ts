import { createHash } from 'node:crypto';
import type { JsonObject } from '@kubewright/kube';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import type { ServedGroup, ServedVersion } from './served-group.ts';
import { subresourcesOf } from './subresource.ts';

/** `/api`: the versions of the core group. */
export function apiVersions(core: ServedGroup | undefined): JsonObject {
  return {
    kind: 'APIVersions',
    versions: core?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [],
  };
}

/** `/apis`: every group but the core one. */
export function apiGroupList(groups: readonly ServedGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupFields) };
}

/** `/apis/<group>`. */
export function apiGroup(group: ServedGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(group) };
}

function groupFields({ group, versions }: ServedGroup): JsonObject {
  const all = versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name: group, versions: all, preferredVersion: all[0] ?? {} };
}

/** `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList({ groupVersion, resources }: ServedVersion): JsonObject {
  const core = !groupVersion.includes('/');
  return {
    kind: 'APIResourceList',
    ...(core ? {} : { apiVersion: 'v1' }),
    groupVersion,
    resources: resources.flatMap(resourceEntries),
  };
}

/** Changes when objects are stored at another version than before. */
function storageVersionHash({
  group: served,
  storageGroup: group = served,
  storageVersion,
  kind,
}: ResourceDefinition): string {
  const hash = createHash('sha256').update(`${group}/${storageVersion}/${kind}`).digest();
  return hash.subarray(0, 8).toString('base64');
}

function resourceEntries(definition: ResourceDefinition): JsonObject[] {
  const { resource, singular, namespaced, kind, verbs, shortNames, categories, group } = definition;
  return [
    {
      name: resource,
      singularName: singular,
      namespaced,
      kind,
      verbs: definition.builtIn ? verbs.toSorted() : verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
      // What is never stored has no storage version.
      ...(definition.createOnly !== true ? { storageVersionHash: storageVersionHash(definition) } : {}),
    },
    ...subresourcesOf(definition).map((sub) => ({
      name: `${resource}/${sub.name}`,
      singularName: '',
      namespaced,
      ...(sub.group === group ? {} : { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ];
}
