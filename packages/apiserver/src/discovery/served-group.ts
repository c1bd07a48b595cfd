import { compareText, type JsonObject } from '@kubewright/kube';
import type { RemoteVersion } from '../aggregation/delegates.ts';
import { groupPriority } from '../aggregation/group-priority.ts';
import { compareVersions } from '../model/compare-versions.ts';
import type { Registry } from '../registry/registry.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';

/** One version of a group and what it serves, resources by name. */
export type ServedVersion = {
  readonly version: string;
  readonly groupVersion: string;
  readonly resources: readonly ResourceDefinition[];
  /** Set where another server serves the version: what aggregated discovery shows of it. */
  readonly remote?: JsonObject;
};

/** A group; its preferred version first. */
export type ServedGroup = { readonly group: string; readonly versions: readonly ServedVersion[] };

/** What is served, by group and version, by this server and by others: the group of the greatest priority first. */
export function allGroups(registry: Registry, remote: readonly RemoteVersion[]): ServedGroup[] {
  const priorities = new Map<string, number>();
  const groups = new Map(servedGroups(registry).map((group) => [group.group, group]));
  for (const { group } of groups.values()) priorities.set(group, groupPriority(group));
  for (const { group, version, priority, discovery } of remote) {
    priorities.set(group, Math.max(priority, priorities.get(group) ?? 0));
    const added = { version, groupVersion: `${group}/${version}`, resources: [], remote: discovery };
    const others = (groups.get(group)?.versions ?? []).filter((one) => one.version !== version);
    const versions = [...others, added].sort((a, b) => compareVersions(b.version, a.version));
    groups.set(group, { group, versions });
  }
  const priorityOf = ({ group }: ServedGroup): number => priorities.get(group) ?? 0;
  return [...groups.values()].sort((a, b) => priorityOf(b) - priorityOf(a) || compareText(a.group, b.group));
}

/** What the registry serves, by group and version. The core group (empty name) is among them. */
function servedGroups(registry: Registry): ServedGroup[] {
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
        resources: resources.toSorted((a, b) => compareText(a.resource, b.resource)),
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
