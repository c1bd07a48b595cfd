import {
  defined,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  apiVersionOf,
} from '@kubewright/kube';
import type { Path } from '@kubewright/kube/fields';
import { managedFieldsOfScale, type ReplicasPaths, type VersionedSchemas } from '@kubewright/kube/merge';
import { loadCatalogue, type SchemaNode } from '@kubewright/kube/schema';
import type { Registry } from '../registry/registry.ts';
import type { ResourceDefinition, ScaleMapping } from '../model/resource-definition.ts';
import { inVersion } from '../model/in-version.ts';
import { localError } from '../api-server-error.ts';

export const SCALE_VERSION = 'autoscaling/v1';

/** The schema of a Scale, for its managedFields. */
export const scaleSchemas: VersionedSchemas & { readonly schema: SchemaNode } = {
  get schema() {
    const schema = loadCatalogue().schemaOf({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
    if (schema === undefined) throw localError('InvalidState', 'the catalogue has no Scale');
    return schema;
  },
  node: (apiVersion) => (apiVersion === SCALE_VERSION ? scaleSchemas.schema : undefined),
  convert: (object) => object,
  empty: (apiVersion) => ({ apiVersion, kind: 'Scale', metadata: {}, spec: {}, status: { replicas: 0 } }),
};

/** `autoscaling/v1 Scale` of an object. */
export function scaleOf(mapping: ScaleMapping, object: KubeObject, paths: ReplicasPaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = mapping.specReplicas(object);
  const selector = mapping.selector(object);
  const managedFields = managedFieldsOfScale(object.metadata.managedFields, paths);
  return {
    kind: 'Scale',
    apiVersion: SCALE_VERSION,
    metadata: defined({
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
      managedFields,
    }),
    spec: replicas === 0 ? {} : { replicas },
    status: defined({
      replicas: mapping.statusReplicas(object),
      selector: selector === '' ? undefined : selector,
    }),
  };
}

/** `spec.replicas` of a Scale; absent is 0. */
export function specReplicas(scale: KubeObject): number {
  const spec = getOwn(scale, 'spec');
  const replicas = isJsonObject(spec) ? getOwn(spec, 'replicas') : undefined;
  return typeof replicas === 'number' ? replicas : 0;
}

/** Where each served version keeps its replicas: where an object differs from itself scaled. */
export function replicasPaths(
  registry: Registry,
  definition: ResourceDefinition,
  object: KubeObject,
): ReplicasPaths {
  const versions = registry.versions(definition.group, definition.resource);
  return Object.fromEntries(
    versions.map((version) => {
      return [apiVersionOf(version), pathIn(version.scale, inVersion(object, version))];
    }),
  );
}

function pathIn(mapping: ScaleMapping | undefined, object: KubeObject): Path | null {
  if (mapping === undefined) return null;
  const other = mapping.withReplicas(object, mapping.specReplicas(object) + 1);
  return differingPath(object, other)?.map((name) => `f:${name}`) ?? null;
}

/** The one path of field names at which two objects differ; undefined when they do not. */
function differingPath(
  a: Json | KubeObject | undefined,
  b: Json | KubeObject | undefined,
): string[] | undefined {
  if (a === b) return undefined;
  if (!isJsonObject(a) || !isJsonObject(b)) return [];
  const [left, right] = [a as JsonObject, b as JsonObject];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const below = differingPath(getOwn(left, key), getOwn(right, key));
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}
