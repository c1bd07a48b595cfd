import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type Transport,
} from '@kubewright/kube';
import { createCall } from '../call/call.ts';
import type { ResourceRef } from './resource-ref.ts';

/** A resource that a server serves, in one version. */
export type ServedResource = {
  readonly ref: ResourceRef;
  readonly verbs: readonly string[];
  /** What people call it, in lower case: plural, singular, kind, short names. */
  readonly names: readonly string[];
};

/** What a server serves. */
export type Discovered = {
  /** Each resource once: in its group's preferred version, or in the first that has it. No subresources. */
  readonly resources: readonly ServedResource[];
  /** `group/version`s whose discovery failed: their aggregated server is unavailable. */
  readonly stale: readonly string[];
};

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Aggregated discovery: everything that is served, in two calls (KEP-3352; Kubernetes 1.30 and later). */
export async function discoverResources(transport: Transport, signal?: AbortSignal): Promise<Discovered> {
  const call = createCall(transport);
  const headers = { accept: ACCEPT };
  const documents = [
    await call('GET', '/api', { headers, signal }),
    await call('GET', '/apis', { headers, signal }),
  ];
  const groups = documents.flatMap((document) => objects(getOwn(document, 'items')).map(groupOf));
  return {
    resources: groups.flatMap(({ resources }) => resources),
    stale: groups.flatMap(({ stale }) => stale),
  };
}

function groupOf(item: JsonObject): Discovered {
  const group = textOf(getOwn(item, 'metadata'), 'name');
  const found = new Map<string, ServedResource>();
  const stale: string[] = [];
  for (const entry of objects(getOwn(item, 'versions'))) {
    const version = textOf(entry, 'version');
    if (getOwn(entry, 'freshness') === 'Stale') stale.push(group === '' ? version : `${group}/${version}`);
    for (const resource of objects(getOwn(entry, 'resources'))) {
      const name = textOf(resource, 'resource');
      if (!found.has(name)) found.set(name, servedResource(resource, { group, version, resource: name }));
    }
  }
  return { resources: [...found.values()], stale };
}

function servedResource(
  item: JsonObject,
  where: Pick<ResourceRef, 'group' | 'version' | 'resource'>,
): ServedResource {
  const kind = textOf(getOwn(item, 'responseKind'), 'kind');
  const verbs = textsOf(item, 'verbs');
  const namespaced = getOwn(item, 'scope') === 'Namespaced';
  const names = [where.resource, textOf(item, 'singularResource'), kind, ...textsOf(item, 'shortNames')];
  // What cannot be watched is not stored: reviews, metrics.
  return {
    ref: { ...where, kind, namespaced, ...(verbs.includes('watch') ? {} : { stored: false }) },
    verbs,
    names: names.filter((name) => name !== '').map((name) => name.toLowerCase()),
  };
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(object: Json | undefined, key: string): string {
  const value = isJsonObject(object) ? getOwn(object, key) : undefined;
  return typeof value === 'string' ? value : '';
}

function textsOf(object: JsonObject, key: string): readonly string[] {
  const list = getOwn(object, key);
  return isJsonArray(list) ? list.filter((text) => typeof text === 'string') : [];
}
