import type { KubeObject } from '@kubewright/kube';
import type { Catalogue } from '@kubewright/kube/schema';
import type { ResourceDefinition, Strategy } from '../model/resource-definition.ts';
import { localError } from '../api-server-error.ts';
import { columnsFor } from '../tables/columns-for.ts';

/** What is said of a built-in resource where it differs from the rule. */
export type Declaration = {
  /** `apps/v1`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly strategy: Strategy;
  readonly status?: Strategy;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  /** Default true. */
  readonly namespaced?: boolean;
  readonly rest?: Partial<ResourceDefinition>;
};

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A served built-in resource. `hasGeneration` is false: strategies of built-in kinds count generations themselves. */
export function define(declared: Declaration, catalogue: Catalogue): ResourceDefinition {
  const [group, version] = splitApiVersion(declared.apiVersion);
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
    ...(declared.status === undefined ? {} : { status: declared.status }),
    columns: columnsFor(group, declared.kind),
    storageVersion: version,
    ...declared.rest,
  };
}

function splitApiVersion(apiVersion: string): readonly [string, string] {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

/** A field selector's value. */
export type Selectable = Readonly<Record<string, (object: KubeObject) => string>>;
