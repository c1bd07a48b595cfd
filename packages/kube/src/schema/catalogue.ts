import { createRequire } from 'node:module';
import { type JsonObject, getOwn, isJsonArray, isJsonObject } from '../json/json.ts';
import { lazy } from '../lazy.ts';
import type { GroupVersionKind } from '../object/kube-object.ts';
import { createSchemaCompiler } from './compile-schema.ts';
import type { CatalogueData } from './import-catalogue.ts';
import type { OpenApiSchema, SchemaNode } from './schema-node.ts';

/** The built-in types of one Kubernetes version. Schemas are compiled on first use. */
export type Catalogue = {
  /** As the documents say it: `1.36`. */
  readonly version: string;
  readonly schemaOf: (gvk: GroupVersionKind) => SchemaNode | undefined;
  /** Every kind with a schema, lists and options (`PodList`, `DeleteOptions`) included. */
  readonly kinds: () => readonly GroupVersionKind[];
  /** The OpenAPI definition of a kind: `io.k8s.api.core.v1.Pod`. */
  readonly definitionName: (gvk: GroupVersionKind) => string | undefined;
  /** A definition by its OpenAPI name, for types that are no kind (`io.k8s.api.core.v1.PodSpec`). */
  readonly definition: (name: string) => SchemaNode | undefined;
  /** Documents by their path below `/openapi/v3/` (`api/v1`, `apis/apps/v1`): `components` only, without prose. */
  readonly openApiDocuments: ReadonlyMap<string, JsonObject>;
  /** What the catalogue was made of. */
  readonly data: CatalogueData;
};

let builtIn: Catalogue | undefined;

/** The catalogue that comes with this package; read from its data file once per process. */
export function loadCatalogue(): Catalogue {
  return (builtIn ??= createCatalogue(readData()));
}

function readData(): CatalogueData {
  // By the package's name: this code may be part of a bundle, and stand elsewhere.
  return createRequire(import.meta.url)('@kubewright/kube/data/catalogue.json') as CatalogueData;
}

/** A catalogue of other data, for instance what `importCatalogue` made of a cluster's `/openapi/v3`. */
export function createCatalogue(data: CatalogueData): Catalogue {
  const resolve = (name: string): OpenApiSchema | undefined =>
    getOwn(data.definitions, name) as OpenApiSchema;
  const compiler = createSchemaCompiler(resolve, data.goTypes);
  const names = lazy(() => indexKinds(data));
  const documents = lazy(() => buildDocuments(data));
  return {
    version: data.version,
    data,
    definition: compiler.definition,
    definitionName: (gvk) => names().get(kindKey(gvk))?.name,
    kinds: () => [...names().values()].map((entry) => entry.gvk),
    schemaOf: (gvk) => {
      const entry = names().get(kindKey(gvk));
      return entry && compiler.definition(entry.name);
    },
    get openApiDocuments(): ReadonlyMap<string, JsonObject> {
      return documents();
    },
  };
}

type KindEntry = { readonly gvk: GroupVersionKind; readonly name: string };

function indexKinds(data: CatalogueData): ReadonlyMap<string, KindEntry> {
  const index = new Map<string, KindEntry>();
  for (const [name, schema] of Object.entries(data.definitions)) {
    const kinds = getOwn(schema, 'x-kubernetes-group-version-kind');
    for (const gvk of isJsonArray(kinds) ? kinds : []) {
      if (isGvk(gvk)) index.set(kindKey(gvk), { gvk, name });
    }
  }
  return index;
}

function isGvk(value: unknown): value is GroupVersionKind & JsonObject {
  const gvk = value as GroupVersionKind & JsonObject;
  return isJsonObject(gvk) && [gvk.group, gvk.version, gvk.kind].every((part) => typeof part === 'string');
}

function kindKey(gvk: GroupVersionKind): string {
  return `${gvk.group}/${gvk.version}/${gvk.kind}`;
}

function buildDocuments(data: CatalogueData): ReadonlyMap<string, JsonObject> {
  const info = { title: 'Kubernetes', version: data.version };
  const definitions = Object.entries(data.definitions);
  return new Map(
    Object.entries(data.documents).map(([path, positions]) => {
      const schemas = Object.fromEntries(positions.map((position) => definitions[position] ?? []));
      return [path, { openapi: '3.0.0', info, components: { schemas } }];
    }),
  );
}
