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

/** Finds the resource of a kind by asking the server's discovery, and remembers it. */
export type RestMapper = {
  /** The complete reference. Rejects with `NoMatch` (code 0) when the server does not serve the kind. */
  resolve<T extends KubeObject>(ref: Ref<T>): Promise<ResourceRef<T>>;
  /** Forgets everything: the next look-ups ask again. A kind that is not known is asked for every time anyway. */
  reset(): void;
};

/** One look-up per group version, whatever the number of kinds and callers. */
export function createRestMapper(call: Call): RestMapper {
  let resources = new Map<string, Promise<readonly ResourceRef[]>>();
  let preferred = new Map<string, Promise<string>>();

  const resourcesOf = (group: string, version: string): Promise<readonly ResourceRef[]> =>
    remember(resources, groupVersionPath(group, version), async (path) =>
      parseResources(await call('GET', path, { headers: HEADERS.read }), group, version),
    );
  const versionOf = (group: string): Promise<string> => {
    if (group === '') return Promise.resolve('v1');
    return remember(preferred, group, async () =>
      preferredVersion(await call('GET', `/apis/${group}`, { headers: HEADERS.read })),
    );
  };
  const find = async (ref: KindRef): Promise<ResourceRef | undefined> => {
    const version = ref.version ?? (await versionOf(ref.group));
    const known = (await resourcesOf(ref.group, version)).find(({ kind }) => kind === ref.kind);
    // A definition may have been created since: what is not found is not remembered.
    if (known === undefined) resources.delete(groupVersionPath(ref.group, version));
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
      preferred = new Map();
    },
  };
}

function unservedKind({ group, version, kind }: KindRef): string {
  const where = [group, version].filter((part) => part !== undefined && part !== '').join('/');
  const step = group.includes('.') ? 'install its CustomResourceDefinition, or ' : '';
  return `the server does not serve kind ${kind} of ${where}: ${step}see "kubectl api-resources" for what it serves`;
}

/** Concurrent look-ups share one call; a failed one is forgotten. */
function remember<T>(
  memory: Map<string, Promise<T>>,
  key: string,
  ask: (key: string) => Promise<T>,
): Promise<T> {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const asked = ask(key);
  memory.set(key, asked);
  asked.catch(() => {
    if (memory.get(key) === asked) memory.delete(key);
  });
  return asked;
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

function preferredVersion(group: JsonObject): string {
  const preferred = getOwn(group, 'preferredVersion');
  const version = isJsonObject(preferred) ? text(preferred, 'version') : '';
  if (version === '') throw localError('InvalidResponse', 'discovery names no preferred version');
  return version;
}

function entries(value: Json | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

function text(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}
