import type { JsonObject } from '@kubewright/kube';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import type { ServedGroup, ServedVersion } from './served-group.ts';
import { type Subresource, subresourcesOf } from './subresource.ts';

/** `apidiscovery.k8s.io APIGroupDiscoveryList`: everything in one response, which is what kubectl requests. */
export function aggregatedDiscovery(groups: readonly ServedGroup[], version: string): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group.group === '' ? {} : { name: group.group },
      versions: group.versions.map(versionDiscovery),
    })),
  };
}

function versionDiscovery({ version, resources, remote }: ServedVersion): JsonObject {
  if (remote !== undefined) return remote;
  return { version, resources: resources.map(resourceDiscovery), freshness: 'Current' };
}

function resourceDiscovery(definition: ResourceDefinition): JsonObject {
  const { group, version, kind, shortNames, categories, builtIn } = definition;
  const subresources = subresourcesOf(definition).map((sub) => subresourceDiscovery(sub, definition));
  return {
    resource: definition.resource,
    responseKind: builtIn ? { group: '', version: '', kind } : { group, version, kind },
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: builtIn ? definition.verbs.toSorted() : definition.verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

function subresourceDiscovery(sub: Subresource, { builtIn, group }: ResourceDefinition): JsonObject {
  const { name, kind, verbs } = sub;
  const foreign = !builtIn || sub.group !== group;
  const responseKind = foreign
    ? { group: sub.group, version: sub.version, kind }
    : { group: '', version: '', kind };
  return { subresource: name, responseKind, verbs };
}
