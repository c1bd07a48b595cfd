import { compareText } from '../json/compare-text.ts';
import { type Json, type JsonObject, getOwn, isJsonArray, isJsonObject, setOwn } from '../json/json.ts';
import { type GoTypes, selectGoTypes } from './go-types.ts';
import type { OpenApiSchema } from './schema-node.ts';

/** What the catalogue's data file holds. */
export type CatalogueData = {
  /** The Kubernetes version that the schemas were read from, as in the documents: `1.36`. */
  readonly version: string;
  /** Documents by their path below `/openapi/v3/`: which definitions each carries, by position in `definitions`. */
  readonly documents: { readonly [path: string]: readonly number[] };
  /** OpenAPI schemas by definition name, without prose. */
  readonly definitions: { readonly [name: string]: OpenApiSchema };
  readonly goTypes: GoTypes;
};

/** Documents as a server publishes them, by their path below `/openapi/v3/` (`api/v1`, `apis/apps/v1`). */
export type OpenApiDocuments = { readonly [path: string]: JsonObject };

const dropped = new Set(['description', 'title', 'example', 'externalDocs', 'x-kubernetes-unions']);
const schemaMaps = new Set(['properties', 'patternProperties', 'definitions']);

/**
 * Makes catalogue data of a server's `/openapi/v3`: every schema, no prose. Pure.
 * Documents that name no kind (discovery, version) are left out.
 */
export function importCatalogue(documents: OpenApiDocuments, goTypes: GoTypes): CatalogueData {
  const definitions: Record<string, OpenApiSchema> = {};
  const index: Record<string, readonly string[]> = {};
  let version = '';
  for (const [path, document] of Object.entries(documents).sort(byName)) {
    const schemas = Object.entries(schemasOf(document)).sort(byName);
    version ||= versionOf(document);
    if (!/^(?:api|apis\/[^/]+)\/[^/]+$/.test(path) || schemas.length === 0) continue;
    index[path] = schemas.map(([name]) => name);
    for (const [name, schema] of schemas) {
      setOwn(definitions, name, mergeKinds(withoutProse(schema), getOwn(definitions, name)));
    }
  }
  const names = Object.keys(definitions);
  const positions = new Map(names.map((name, position) => [name, position]));
  const numbered = Object.entries(index).map(
    ([path, carried]) => [path, carried.map((name) => positions.get(name) ?? 0)] as const,
  );
  return {
    version,
    documents: Object.fromEntries(numbered),
    definitions,
    goTypes: selectGoTypes(goTypes, names),
  };
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareText(a[0], b[0]);
}

function schemasOf(document: JsonObject): Record<string, JsonObject> {
  const components = getOwn(document, 'components');
  const schemas = isJsonObject(components) ? getOwn(components, 'schemas') : undefined;
  const found: Record<string, JsonObject> = {};
  for (const [name, schema] of Object.entries(isJsonObject(schemas) ? schemas : {})) {
    if (isJsonObject(schema)) setOwn(found, name, schema);
  }
  return found;
}

function versionOf(document: JsonObject): string {
  const info = getOwn(document, 'info');
  const version = isJsonObject(info) ? getOwn(info, 'version') : undefined;
  return typeof version === 'string' ? version : '';
}

/** Definitions shared by groups (DeleteOptions) list the kinds of their own document only: keep them all. */
function mergeKinds(schema: JsonObject, known: Json | undefined): JsonObject {
  const key = 'x-kubernetes-group-version-kind';
  const kinds = getOwn(schema, key);
  const before = isJsonObject(known) ? getOwn(known, key) : undefined;
  if (!isJsonArray(kinds) || !isJsonArray(before)) return schema;
  const seen = new Set(before.map((kind) => JSON.stringify(kind)));
  return { ...schema, [key]: [...before, ...kinds.filter((kind) => !seen.has(JSON.stringify(kind)))] };
}

function withoutProse(schema: JsonObject): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key)) continue;
    setOwn(kept, key, schemaMaps.has(key) ? mapValues(value) : key === 'default' ? value : inner(value));
  }
  return kept;
}

function mapValues(schemas: Json): Json {
  if (!isJsonObject(schemas)) return schemas;
  const kept: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(schemas)) setOwn(kept, name, inner(schema));
  return kept;
}

function inner(value: Json): Json {
  if (isJsonArray(value)) return value.map(inner);
  return isJsonObject(value) ? withoutProse(value) : value;
}
