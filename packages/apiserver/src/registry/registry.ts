import { resourceKey } from '../model/resource-key.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';

/** A definition came (also: replaced one of the same group, version and resource) or went. */
export type RegistryChange = {
  readonly type: 'added' | 'removed';
  readonly definition: ResourceDefinition;
};

/** What the API serves now. Built-in kinds are added at start, custom resources come and go. */
export type Registry = {
  /** Serves `definition`, in place of an earlier one of the same group, version and resource. */
  add(definition: ResourceDefinition): void;
  /** Stops serving; false when nothing of that name was served. Stored objects stay where they are. */
  remove(group: string, version: string, resource: string): boolean;
  find(group: string, version: string, resource: string): ResourceDefinition | undefined;
  /** All served versions of one resource, in the order in which they were added. */
  versions(group: string, resource: string): readonly ResourceDefinition[];
  /** Everything served, in the order in which it was added. */
  all(): readonly ResourceDefinition[];
  /** Counts changes, for caches of what is derived from the registry (discovery, OpenAPI). */
  readonly revision: number;
  /** Calls `listener` after each change; the returned function ends that. */
  onChange(listener: (change: RegistryChange) => void): () => void;
};

export function createRegistry(): Registry {
  const byVersion = new Map<string, ResourceDefinition>();
  const byResource = new Map<string, ResourceDefinition[]>();
  const listeners = new Set<(change: RegistryChange) => void>();
  let revision = 0;

  function changed(change: RegistryChange): void {
    const { group, resource } = change.definition;
    const versions = [...byVersion.values()].filter((d) => d.group === group && d.resource === resource);
    if (versions.length === 0) byResource.delete(resourceKey(group, resource));
    else byResource.set(resourceKey(group, resource), versions);
    revision += 1;
    for (const listener of listeners) listener(change);
  }

  return {
    add(definition) {
      byVersion.set(versionKey(definition.group, definition.version, definition.resource), definition);
      changed({ type: 'added', definition });
    },
    remove(group, version, resource) {
      const key = versionKey(group, version, resource);
      const definition = byVersion.get(key);
      if (definition === undefined) return false;
      byVersion.delete(key);
      changed({ type: 'removed', definition });
      return true;
    },
    find: (group, version, resource) => byVersion.get(versionKey(group, version, resource)),
    versions: (group, resource) => byResource.get(resourceKey(group, resource)) ?? [],
    all: () => [...byVersion.values()],
    get revision() {
      return revision;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function versionKey(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}
