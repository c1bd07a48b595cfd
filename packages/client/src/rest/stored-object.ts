import {
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  type Stored,
} from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import type { ResourceRef } from './resource-ref.ts';

/** Options that make a response differ from what is stored. */
export type ResponseOptions = { readonly dryRun?: boolean; readonly subresource?: string };

/**
 * The object of a response, checked to have what {@link Stored} promises; throws `InvalidResponse` where it has not.
 * Caches read every object through it, so it is cheap.
 */
export function storedObject<T extends KubeObject>(
  ref: ResourceRef<T>,
  object: JsonObject,
  options?: ResponseOptions,
): Stored<T> {
  const metadata = getOwn(object, 'metadata');
  if (isJsonObject(metadata) && missing(ref, metadata) === undefined) return object as Stored<T>;
  if (isComputed(ref, options)) return withEmptyMeta(ref, object) as Stored<T>;
  const field = isJsonObject(metadata) ? missing(ref, metadata) : undefined;
  const what = field === undefined ? 'metadata' : `metadata.${field}`;
  throw localError('InvalidResponse', `the server sent a ${ref.kind} without ${what}`);
}

function missing(ref: ResourceRef, metadata: JsonObject): string | undefined {
  if (!isText(metadata['name'])) return 'name';
  if (!isText(metadata['uid'])) return 'uid';
  if (!isText(metadata['resourceVersion'])) return 'resourceVersion';
  return ref.namespaced && !isText(metadata['namespace']) ? 'namespace' : undefined;
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

/** A review, a dry run, or a subresource of another kind: the server stores no such object. */
function isComputed(
  { stored }: ResourceRef,
  { dryRun, subresource = 'status' }: ResponseOptions = {},
): boolean {
  return stored === false || dryRun === true || subresource !== 'status';
}

/** An empty string means "none" in these fields. */
function withEmptyMeta({ namespaced }: ResourceRef, object: JsonObject): JsonObject {
  const known = getOwn(object, 'metadata');
  const metadata: Record<string, Json> = isJsonObject(known) ? { ...known } : {};
  const names = ['name', 'uid', 'resourceVersion', ...(namespaced ? ['namespace'] : [])];
  for (const name of names) if (!isText(metadata[name])) metadata[name] = '';
  return { ...object, metadata };
}
