import { type KubeObject, type JsonObject, KubeError, parseApiVersion, apiVersionOf } from '@kubewright/kube';
import type { VersionedSchemas } from '@kubewright/kube/merge';
import { FieldSet } from '@kubewright/kube/fields';
import {
  applyManagedFields,
  formatTypedErrors,
  ignoreManagedFieldsTimestamps,
  updateManagedFields,
  validateTyped,
} from '@kubewright/kube/merge';
import { decodeBuiltIn } from '@kubewright/kube/schema';
import type { Registry } from '../registry/registry.ts';
import type { ResourceDefinition, Strategy } from '../model/resource-definition.ts';
import { inVersion, inStorageVersion } from '../model/in-version.ts';
import type { Steps } from '../request/steps.ts';
import { replaying, type ToVersion } from './converting.ts';
import type { RestContext } from './rest-context.ts';

/** The field manager, the time and the subresource of a write. */
export type Writer = {
  readonly manager: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly strategy: Strategy;
  readonly now: Date;
};

/** The schemas of all served versions of a resource, and the way of its objects between them. */
function schemasOf(
  registry: Registry,
  definition: ResourceDefinition,
  toVersion: ToVersion = inVersion,
): VersionedSchemas {
  const { group, resource, builtIn } = definition;
  // The kinds of create-only subresources are not in the registry.
  const versions = [definition, ...registry.versions(group, resource)];
  const find = (apiVersion: string): ResourceDefinition | undefined =>
    versions.find((candidate) => apiVersionOf(candidate) === apiVersion);
  return {
    node: (apiVersion) => {
      if (!builtIn) checkGroup(group, apiVersion);
      const found = find(apiVersion);
      if (found === undefined) checkDefined(definition, apiVersion);
      return found?.schema;
    },
    convert: (object, apiVersion) => {
      const [from, to] = [find(object.apiVersion), find(apiVersion)];
      if (definition.conversion !== undefined && to !== undefined) return toVersion(object, to);
      if (!builtIn) return renamed(object, apiVersion, to);
      return from === undefined || to === undefined ? object : inVersion(inStorageVersion(from, object), to);
    },
    empty: (apiVersion) => emptyObject(apiVersion, find(apiVersion)),
    unchecked: !builtIn,
  };
}

/** A custom resource's other version may lack some of its fields: then managed fields cannot be converted. */
function renamed(
  object: KubeObject,
  apiVersion: string,
  definition: ResourceDefinition | undefined,
): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const other = { ...object, apiVersion };
  const errors =
    definition === undefined ? [] : validateTyped(definition.schema, other, { allowDuplicates: true });
  if (errors.length === 0) return other;
  throw new KubeError('TypedError', `failed to convert new object: ${formatTypedErrors(errors)}`);
}

/** A custom resource cannot be converted to another group: with a claim there, no claims can be computed. */
function checkGroup(group: string, apiVersion: string): void {
  if (parseApiVersion(apiVersion).group === group) return;
  throw new KubeError('TypedError', `not suitable for converting to "${apiVersion}"`);
}

/** Nor to a version that its definition has no more. One that is only not served is no problem. */
function checkDefined({ definedVersions }: ResourceDefinition, apiVersion: string): void {
  if (definedVersions === undefined) return;
  if (definedVersions.includes(parseApiVersion(apiVersion).version)) return;
  const message = `request to convert CR to an invalid group/version: ${apiVersion}`;
  throw new KubeError('TypedError', message);
}

const emptyObjects = new WeakMap<ResourceDefinition, KubeObject>();

/** An object of which nothing is set: what a created one is compared with. */
function emptyObject(apiVersion: string, definition: ResourceDefinition | undefined): KubeObject {
  if (definition === undefined) return { apiVersion, kind: '', metadata: {} };
  let object = emptyObjects.get(definition);
  if (object === undefined) {
    const bare = { apiVersion, kind: definition.kind, metadata: {} };
    const full = definition.builtIn ? (decodeBuiltIn(definition.schema, bare).object as JsonObject) : bare;
    object = { ...full, ...bare };
    emptyObjects.set(definition, object);
  }
  return object;
}

const resets = new WeakMap<Strategy, FieldSet>();

function resetFieldsOf(strategy: Strategy): FieldSet {
  let set = resets.get(strategy);
  if (set === undefined) {
    set = FieldSet.of(...(strategy.resetFields ?? []));
    resets.set(strategy, set);
  }
  return set;
}

type Context = Pick<RestContext, 'registry' | 'convert'>;

/** Records an update, of whatever kind but apply. */
export function* recordedUpdate(
  context: Context,
  definition: ResourceDefinition,
  live: KubeObject | undefined,
  object: KubeObject,
  writer: Writer,
): Steps<KubeObject> {
  return yield* replaying(context, (toVersion) =>
    recordUpdate(context.registry, definition, live, object, { ...writer, toVersion }),
  );
}

/** The same for a kind that no webhook converts. */
export function recordUpdate(
  registry: Registry,
  definition: ResourceDefinition,
  live: KubeObject | undefined,
  object: KubeObject,
  { manager, subresource, strategy, now, toVersion }: Writer & { readonly toVersion?: ToVersion },
): KubeObject {
  const schemas = schemasOf(registry, definition, toVersion);
  return updateManagedFields({
    live,
    object,
    manager,
    subresource,
    now,
    schemas,
    resetFields: resetFieldsOf(strategy),
  });
}

/** Merges an apply configuration into the live object. Throws kube's ConflictError. */
export function* mergedApply(
  context: Context,
  definition: ResourceDefinition,
  live: KubeObject | undefined,
  config: KubeObject,
  { strategy, ...writer }: Writer & { readonly force: boolean },
): Steps<KubeObject> {
  const resetFields = resetFieldsOf(strategy);
  return yield* replaying(context, (toVersion) => {
    const schemas = schemasOf(context.registry, definition, toVersion);
    return applyManagedFields({ live, object: config, ...writer, schemas, resetFields });
  });
}

/** The old object where nothing but times of managedFields differs: a write that changes nothing is no write. */
export function unlessUnchanged(object: KubeObject, old: KubeObject): KubeObject {
  return object === old ? old : ignoreManagedFieldsTimestamps(old, object);
}
