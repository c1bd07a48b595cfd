import type { Catalogue } from '@kubewright/kube/schema';
import { defined, parseApiVersion } from '@kubewright/kube';
import type { Declaration } from '../model/declaration.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { localError } from '../api-server-error.ts';
import { columnsFor } from '../tables/columns-for.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A served built-in resource. `hasGeneration` is false: strategies of built-in kinds count generations themselves. */
export function define(declared: Declaration, catalogue: Catalogue): ResourceDefinition {
  const { group, version } = parseApiVersion(declared.apiVersion);
  const { status, createSubresources } = declared;
  const schema = catalogue.schemaOf({ group, version, kind: declared.kind });
  if (schema === undefined)
    throw localError('InvalidState', `the catalogue has no ${declared.apiVersion} ${declared.kind}`);
  return {
    group,
    version,
    resource: declared.resource,
    singular: declared.kind.toLowerCase(),
    kind: declared.kind,
    shortNames: declared.short ?? [],
    categories: declared.categories ?? [],
    namespaced: declared.namespaced ?? true,
    verbs: VERBS,
    schema,
    builtIn: true,
    strategy: declared.strategy,
    hasGeneration: false,
    ...defined({ status }),
    ...(createSubresources === undefined
      ? {}
      : { createSubresources: defineAll(createSubresources, catalogue) }),
    columns: columnsFor(group, declared.kind),
    storageVersion: version,
    ...declared.rest,
  };
}

function defineAll(
  declared: Readonly<Record<string, Declaration>>,
  catalogue: Catalogue,
): Readonly<Record<string, ResourceDefinition>> {
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, define(one, catalogue)]));
}
