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

/** How an answer may differ from what is stored. */
export type AnswerOptions = { readonly dryRun?: boolean; readonly subresource?: string };

/**
 * An object of an answer, once it is known to have what {@link Stored} promises: `InvalidResponse` where it has not.
 * This is the one place where that is checked, so it is cheap: caches read every object through it.
 */
export function storedObject<T extends KubeObject>(
  ref: ResourceRef<T>,
  object: JsonObject,
  options?: AnswerOptions,
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

/** A review, a dry run, a subresource that is an object of its own: the server has nothing stored under that name. */
function isComputed(
  { stored }: ResourceRef,
  { dryRun, subresource = 'status' }: AnswerOptions = {},
): boolean {
  return stored === false || dryRun === true || subresource !== 'status';
}

/** Empty text is Kubernetes' own word for "none" in these fields. */
function withEmptyMeta({ namespaced }: ResourceRef, object: JsonObject): JsonObject {
  const known = getOwn(object, 'metadata');
  const metadata: Record<string, Json> = isJsonObject(known) ? { ...known } : {};
  const names = ['name', 'uid', 'resourceVersion', ...(namespaced ? ['namespace'] : [])];
  for (const name of names) if (!isText(metadata[name])) metadata[name] = '';
  return { ...object, metadata };
}
