import { type Json, type JsonObject, getOwn, isJsonObject } from '@kubewright/kube';
import type { Catalogue } from '@kubewright/kube/schema';
import { openApiDocument, WRITE_PARAMETERS } from './open-api-document.ts';
import type { ServedVersion } from './served-group.ts';

const V3_REFERENCE = '#/components/schemas/';
const COMBINING = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable']);

/**
 * The OpenAPI v2 document of all that is served, which kubectl requests where a file holds a `List` or a kind that
 * is unknown: the types of fields, which kinds they make, and that fields are validated here.
 */
export function openApiV2Document(catalogue: Catalogue, served: readonly ServedVersion[]): JsonObject {
  const documents = served.map((version) => openApiDocument(catalogue, version));
  const definitions = new Map<string, Json>();
  const paths = new Map<string, Json>();
  for (const document of documents) {
    for (const [name, schema] of entriesAt(document, 'components', 'schemas')) {
      if (!definitions.has(name)) definitions.set(name, asV2(schema));
    }
    for (const [path, item] of entriesAt(document, 'paths')) {
      const patch = isJsonObject(item) ? getOwn(item, 'patch') : undefined;
      if (isJsonObject(patch)) paths.set(path, { patch: patchOperation(patch) });
    }
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: catalogue.version },
    paths: Object.fromEntries(paths),
    definitions: Object.fromEntries(definitions),
  };
}

function entriesAt(document: JsonObject, ...names: readonly string[]): [string, Json][] {
  let at: Json = document;
  for (const name of names) at = isJsonObject(at) ? (getOwn(at, name) ?? {}) : {};
  return isJsonObject(at) ? Object.entries<Json>(at) : [];
}

const KIND = 'x-kubernetes-group-version-kind';

function patchOperation(operation: JsonObject): JsonObject {
  const parameters = WRITE_PARAMETERS.map(({ name }) => ({
    name,
    in: 'query',
    type: 'string',
    uniqueItems: true,
  }));
  return { 'x-kubernetes-action': 'patch', [KIND]: operation[KIND] ?? {}, parameters, responses: {} };
}

/** A schema in the older form: a lone reference stands for itself, and alternatives are left out. */
function asV2(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((item: Json) => asV2(item));
  if (!isJsonObject(schema)) return schema;
  const [lone] = Array.isArray(schema['allOf']) && schema['allOf'].length === 1 ? schema['allOf'] : [];
  const entries = Object.entries(schema).filter(([key]) => !COMBINING.has(key));
  const plain = Object.fromEntries(
    entries.map(([key, value]) => [key, key === '$ref' ? reference(value) : asV2(value)]),
  );
  return isJsonObject(lone) ? { ...plain, ...(asV2(lone) as JsonObject) } : plain;
}

function reference(value: Json): Json {
  return typeof value === 'string' ? value.replace(V3_REFERENCE, '#/definitions/') : value;
}
