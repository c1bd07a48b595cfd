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

const LEVELS: Readonly<Record<string, number>> = { '': 3, beta: 2, alpha: 1 };

/** Kubernetes' order of versions: `v2` > `v1` > `v2beta1` > `v1alpha1` > anything else. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  for (const [index, value] of left.entries()) {
    const difference = value - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? 1 : -1;
}

function rank(version: string): number[] {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (parts === null) return [0, 0, 0];
  return [LEVELS[parts[2] ?? ''] ?? 0, Number(parts[1]), Number(parts[3] ?? 0)];
}
