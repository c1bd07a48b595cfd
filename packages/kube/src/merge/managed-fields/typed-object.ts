import type { Json } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import type { KubeObject } from '../../object/kube-object.ts';
import type { SchemaNode } from '../../schema/schema-node.ts';
import { formatTypedErrors, validateTyped } from '../typed/validate-typed.ts';
import type { VersionedSchemas } from './versioned-schemas.ts';

/** An object beside the schema of its version. */
export type TypedObject = { readonly object: KubeObject; readonly node: SchemaNode };

/** Pairs an object with its schema, without validating it: for objects that the server itself keeps. */
export function typedObject(schemas: VersionedSchemas, object: KubeObject): TypedObject {
  const node = schemas.node(object.apiVersion);
  if (node === undefined) {
    throw new KubeError('TypedError', `no corresponding type for ${object.apiVersion}, Kind=${object.kind}`);
  }
  return { object, node };
}

/** Pairs a stored or written object with its schema. Throws `TypedError` where it may be, and is, of another type. */
export function checkedObject(schemas: VersionedSchemas, object: KubeObject): TypedObject {
  const typed = typedObject(schemas, object);
  if (schemas.unchecked !== true) return typed;
  const errors = validateTyped(typed.node, jsonOf(object), { allowDuplicates: true });
  if (errors.length === 0) return typed;
  const message = `failed to convert object (${describe(object)}) to smd typed: ${formatTypedErrors(errors)}`;
  throw new KubeError('TypedError', message);
}

/** Pairs a configuration with its schema. Throws `TypedError` where it is not of the type. */
export function typedConfig(schemas: VersionedSchemas, object: KubeObject): TypedObject {
  const typed = typedObject(schemas, object);
  const errors = validateTyped(typed.node, jsonOf(object));
  if (errors.length === 0) return typed;
  const message = `failed to create typed patch object (${describe(object)}): ${formatTypedErrors(errors)}`;
  throw new KubeError('TypedError', message);
}

/**
 * The same object at another version; undefined where that version is not served. A converted object is validated as
 * strictly as a configuration, as on a server: duplicates, which a live object may have, are rejected here.
 * Throws `TypedError`.
 */
export function convertTyped(
  schemas: VersionedSchemas,
  typed: TypedObject,
  apiVersion: string,
): TypedObject | undefined {
  if (typed.object.apiVersion === apiVersion) return typed;
  const node = schemas.node(apiVersion);
  if (node === undefined) return undefined;
  const object = schemas.convert(typed.object, apiVersion);
  const errors = validateTyped(node, jsonOf(object));
  if (errors.length > 0) throw new KubeError('TypedError', formatTypedErrors(errors));
  return { object, node };
}

export function jsonOf(object: KubeObject): Json {
  return object;
}

function describe({ apiVersion, kind, metadata }: KubeObject): string {
  const gv = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${gv}, Kind=${kind}`;
}
