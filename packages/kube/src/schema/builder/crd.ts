import { defined } from '../../json/defined.ts';
import type { JsonObject } from '../../json/json.ts';
import type { Named } from '../../object/kube-object.ts';
import type { SchemaType } from './schema-type.ts';

/** One column of `kubectl get`. */
export type PrinterColumn = {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** Where the value is: `.status.phase`. */
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** 0 is always shown; greater only with `-o wide`. */
  readonly priority?: number;
};

/** One version of a custom resource. */
export type CrdVersion = {
  readonly name: string;
  /** Default true. */
  readonly served?: boolean;
  /** Default true for the only version, false otherwise. */
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  /** The whole object but `apiVersion`, `kind` and `metadata`: usually `s.object({ spec, status })`. */
  readonly schema: SchemaType<unknown>;
  /** The status subresource; default: whether the schema has a field `status`. */
  readonly status?: boolean;
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  readonly columns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly string[];
};

/** What a CustomResourceDefinition is made of. */
export type CrdOptions = {
  readonly group: string;
  readonly kind: string;
  /** Lower case: `widgets`. */
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly [CrdVersion, ...CrdVersion[]];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** The CustomResourceDefinition of `options`, ready to be applied. */
export function crd(options: CrdOptions): Named {
  const { group, kind, plural } = options;
  const only = options.versions.length === 1;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...defined({ labels: options.labels, annotations: options.annotations }),
    },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: options.singular ?? kind.toLowerCase(),
        ...defined({ shortNames: options.shortNames, categories: options.categories }),
      },
      scope: options.scope,
      versions: options.versions.map((version) => versionOf(version, only)),
    },
  };
}

function versionOf(version: CrdVersion, only: boolean): JsonObject {
  const subresources = subresourcesOf(version);
  return {
    name: version.name,
    served: version.served ?? true,
    storage: version.storage ?? only,
    ...defined({
      deprecated: version.deprecated,
      additionalPrinterColumns: version.columns?.map((column) => defined(column)),
      selectableFields: version.selectableFields?.map((jsonPath) => ({ jsonPath })),
    }),
    ...(Object.keys(subresources).length === 0 ? {} : { subresources }),
    schema: { openAPIV3Schema: withTypeMeta(version.schema.schema) },
  };
}

function subresourcesOf(version: CrdVersion): JsonObject {
  const properties = (version.schema.schema['properties'] ?? {}) as JsonObject;
  const status = version.status ?? Object.hasOwn(properties, 'status');
  return {
    ...(status ? { status: {} } : {}),
    ...defined({ scale: version.scale && defined(version.scale) }),
  };
}

/** Every custom resource has these; the schema of a CRD may list them, without more. */
function withTypeMeta(schema: JsonObject): JsonObject {
  const typeMeta = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
  return { ...schema, properties: { ...typeMeta, ...((schema['properties'] ?? {}) as JsonObject) } };
}
