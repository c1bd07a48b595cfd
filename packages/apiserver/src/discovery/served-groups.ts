import { compareVersions } from '../registry/compare-versions.ts';
import type { Registry } from '../registry/registry.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';

/** One version of a group and what it serves, resources by name. */
export type ServedVersion = {
  readonly version: string;
  readonly groupVersion: string;
  readonly resources: readonly ResourceDefinition[];
};

/** A group; its preferred version first. */
export type ServedGroup = { readonly group: string; readonly versions: readonly ServedVersion[] };

/** What the registry serves, by group and version. The core group (empty name) is among them. */
export function servedGroups(registry: Registry): ServedGroup[] {
  const groups = new Map<string, Map<string, ResourceDefinition[]>>();
  for (const definition of registry.all()) {
    const versions = getOrAdd(groups, definition.group, () => new Map<string, ResourceDefinition[]>());
    getOrAdd(versions, definition.version, () => []).push(definition);
  }
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions]
      .map(([version, resources]) => ({
        version,
        groupVersion: group === '' ? version : `${group}/${version}`,
        resources: resources.toSorted((a, b) => (a.resource < b.resource ? -1 : 1)),
      }))
      .sort((a, b) => compareVersions(b.version, a.version)),
  }));
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
