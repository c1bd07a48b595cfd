import { createHash } from 'node:crypto';
import { type Json, type JsonObject, getOwn, isJsonObject, stringifyJson } from '@kubewright/kube';
import type { Catalogue, OpenApiSchema } from '@kubewright/kube/schema';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import type { ServedVersion } from './served-group.ts';

/** The paths of documents below `/openapi/v3/`. */
export function documentPath({ groupVersion }: ServedVersion): string {
  return groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;
}

/**
 * The OpenAPI v3 document of one group and version: schemas from the catalogue and, for custom resources, from their
 * definitions; of the paths what clients look for (kinds, and that fields are validated here).
 */
export function openApiDocument(catalogue: Catalogue, served: ServedVersion): JsonObject {
  const builtIn = catalogue.openApiDocuments.get(documentPath(served));
  const components = builtIn === undefined ? undefined : getOwn(builtIn, 'components');
  const known = isJsonObject(components) ? getOwn(components, 'schemas') : undefined;
  const custom = served.resources.filter((definition) => !definition.builtIn);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: catalogue.version },
    paths: Object.fromEntries(served.resources.flatMap(pathEntries)),
    components: {
      schemas: {
        ...(isJsonObject(known) ? known : {}),
        ...(custom.length > 0 ? metaSchemas(catalogue) : {}),
        ...Object.fromEntries(custom.map((definition) => [schemaName(definition), customSchema(definition)])),
      },
    },
  };
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const META_TYPES = ['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry', 'FieldsV1', 'Time', 'ListMeta'];

function metaSchemas(catalogue: Catalogue): JsonObject {
  const entries = META_TYPES.map((type): [string, OpenApiSchema | undefined] => [
    `${META}${type}`,
    getOwn(catalogue.data.definitions as JsonObject, `${META}${type}`) as OpenApiSchema | undefined,
  ]);
  return Object.fromEntries(entries.filter(([, schema]) => schema !== undefined)) as JsonObject;
}

/** `io.ex.v1.Widget` of `ex.io/v1 Widget`: the group backwards. */
function schemaName({ group, version, kind }: ResourceDefinition): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

function gvkOf({ group, version, kind }: ResourceDefinition): JsonObject {
  return { group, kind, version };
}

const OBJECT_FIELDS: JsonObject = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { allOf: [{ $ref: `#/components/schemas/${META}ObjectMeta` }] },
};

function customSchema(definition: ResourceDefinition): JsonObject {
  const { source } = definition.schema;
  const { properties } = withEmbedded(source) as JsonObject;
  return {
    ...source,
    type: 'object',
    properties: {
      ...(isJsonObject(properties) ? properties : {}),
      ...OBJECT_FIELDS,
    },
    'x-kubernetes-group-version-kind': [gvkOf(definition)],
  };
}

/** Embedded resources have apiVersion, kind and metadata, whatever their schema has. */
function withEmbedded(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((item: Json) => withEmbedded(item));
  if (!isJsonObject(schema)) return schema;
  const inside = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'default' || key === 'enum' ? value : withEmbedded(value),
    ]),
  );
  if (inside['x-kubernetes-embedded-resource'] !== true) return inside;
  const { required, properties } = inside;
  const names = Array.isArray(required)
    ? required.filter((name) => name !== 'kind' && name !== 'apiVersion')
    : [];
  return {
    ...inside,
    required: [...names, 'kind', 'apiVersion'],
    properties: { ...(isJsonObject(properties) ? properties : {}), ...OBJECT_FIELDS },
  };
}

function pathEntries(definition: ResourceDefinition): [string, JsonObject][] {
  const { group, version, resource, namespaced } = definition;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const kind = { 'x-kubernetes-group-version-kind': gvkOf(definition) };
  const read = (action: string): JsonObject => ({ ...kind, 'x-kubernetes-action': action, responses: {} });
  const write = (action: string): JsonObject => ({ ...read(action), parameters: WRITE_PARAMETERS });
  const scoped = namespaced ? `${root}/namespaces/{namespace}/${resource}` : `${root}/${resource}`;
  const collection = { get: read('list'), post: write('post') };
  const item = { get: read('get'), put: write('put'), patch: write('patch'), delete: read('delete') };
  if (definition.createOnly === true) return [[scoped, { post: write('post') }]];
  return [
    ...(namespaced ? [[`${root}/${resource}`, { get: read('list') }] satisfies [string, JsonObject]] : []),
    [scoped, collection],
    [`${scoped}/{name}`, item],
  ];
}

/** Query parameters of every write. */
export const WRITE_PARAMETERS: readonly {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonObject;
}[] = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}));

/** Names a document by its content, so that clients may keep it for ever. */
export function documentHash(document: JsonObject): string {
  return createHash('sha512').update(stringifyJson(document)).digest('hex').toUpperCase();
}
