import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { type Call, HEADERS } from '../call/call.ts';
import { localError } from '../errors/api-error.ts';
import { isNotFound } from '../errors/predicates.ts';
import { groupVersionPath } from './object-path.ts';
import { isResourceRef, type KindRef, type Ref, type ResourceRef } from './resource-ref.ts';

/** Maps kinds to resources through the server's discovery, and caches them. */
export type RestMapper = {
  /** The complete reference. Rejects with `NoMatch` (code 0) when the server does not serve the kind. */
  resolve<T extends KubeObject>(ref: Ref<T>): Promise<ResourceRef<T>>;
  /** Empties the cache. A kind that was not found is not cached: each lookup requests discovery again. */
  reset(): void;
};

/** A group or a version that a server may serve: anything else could change the path. */
const SERVED = /^[a-z0-9][-.a-z0-9]*$/;

function isServable({ group, version = '' }: KindRef): boolean {
  return [group, version].every((part) => part === '' || SERVED.test(part));
}

/** One discovery request per group version, whatever the number of kinds and callers. */
export function createRestMapper(call: Call): RestMapper {
  const read = (path: string): Promise<JsonObject> => call('GET', path, { headers: HEADERS.read });
  let resources = new Map<string, Promise<readonly ResourceRef[]>>();
  let versions = new Map<string, Promise<readonly string[]>>();

  const resourcesOf = (group: string, version: string): Promise<readonly ResourceRef[]> =>
    cached(resources, groupVersionPath(group, version), async (path) =>
      parseResources(await read(path), group, version),
    );
  /** The preferred one first. */
  const versionsOf = (group: string): Promise<readonly string[]> => {
    if (group === '') return Promise.resolve(['v1']);
    return cached(versions, group, async () => servedVersions(await read(`/apis/${group}`)));
  };
  const findAt = async ({ group, kind }: KindRef, version: string): Promise<ResourceRef | undefined> => {
    const known = (await resourcesOf(group, version)).find((resource) => resource.kind === kind);
    // A CustomResourceDefinition may be created later: a kind that is not found is not cached.
    if (known === undefined) resources.delete(groupVersionPath(group, version));
    return known;
  };
  const find = async (ref: KindRef): Promise<ResourceRef | undefined> => {
    if (!isServable(ref)) return undefined;
    if (ref.version !== undefined) return findAt(ref, ref.version);
    const known = await firstOf(await versionsOf(ref.group), (version) => findAt(ref, version));
    // A version may be served later.
    if (known === undefined) versions.delete(ref.group);
    return known;
  };

  return {
    async resolve<T extends KubeObject>(ref: Ref<T>): Promise<ResourceRef<T>> {
      if (isResourceRef(ref)) return ref;
      const found = await find(ref).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (found !== undefined) return found as ResourceRef<T>;
      throw localError('NoMatch', unservedKind(ref));
    },
    reset() {
      resources = new Map();
      versions = new Map();
    },
  };
}

async function firstOf<T, R>(
  items: readonly T[],
  find: (item: T) => Promise<R | undefined>,
): Promise<R | undefined> {
  for (const item of items) {
    const found = await find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unservedKind({ group, version, kind }: KindRef): string {
  const where = [group, version].filter((part) => part !== undefined && part !== '').join('/');
  const step = group.includes('.') ? 'install its CustomResourceDefinition, or ' : '';
  return `the server does not serve kind ${kind} of ${where}: ${step}see "kubectl api-resources" for what it serves`;
}

/** Concurrent lookups share one call; a failed one is not cached. */
function cached<T>(
  cache: Map<string, Promise<T>>,
  key: string,
  load: (key: string) => Promise<T>,
): Promise<T> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const loading = load(key);
  cache.set(key, loading);
  loading.catch(() => {
    if (cache.get(key) === loading) cache.delete(key);
  });
  return loading;
}

/** The resources of an `APIResourceList`, without subresources. */
function parseResources(list: JsonObject, group: string, version: string): readonly ResourceRef[] {
  return entries(getOwn(list, 'resources')).flatMap((entry) => {
    const resource = text(entry, 'name');
    if (resource === '' || resource.includes('/')) return [];
    const namespaced = getOwn(entry, 'namespaced') === true;
    return [{ group, version, resource, kind: text(entry, 'kind'), namespaced, ...storage(entry) }];
  });
}

/** What cannot be watched is not stored: reviews, metrics. */
function storage(entry: JsonObject): Pick<ResourceRef, 'stored'> {
  const verbs = getOwn(entry, 'verbs');
  return isJsonArray(verbs) && !verbs.includes('watch') ? { stored: false } : {};
}

function servedVersions(group: JsonObject): readonly string[] {
  const preferred = getOwn(group, 'preferredVersion');
  const first = isJsonObject(preferred) ? text(preferred, 'version') : '';
  if (first === '') throw localError('InvalidResponse', 'discovery names no preferred version');
  const others = entries(getOwn(group, 'versions')).map((entry) => text(entry, 'version'));
  return [...new Set([first, ...others.filter((version) => SERVED.test(version))])];
}

function entries(value: Json | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

function text(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}
