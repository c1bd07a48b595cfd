import type { Catalogue, JsonObject } from '@kubewright/kube';
import { parseAccept } from '../http/accept.ts';
import type { Registry } from '../registry/registry.ts';
import { jsonReply, type Reply, withHeaders } from '../rest/reply.ts';
import { aggregatedDiscovery } from './aggregated.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './legacy.ts';
import { documentHash, documentPath, openApiDocument } from './open-api.ts';
import { type ServedGroup, type ServedVersion, servedGroups } from './served-groups.ts';

/** Answers discovery and OpenAPI paths; undefined for all others. */
export type Discovery = (path: string, accept: string | undefined) => Reply | undefined;

/** Answers are made when first asked for, and again when the registry has changed. */
export function createDiscovery(registry: Registry, catalogue: Catalogue): Discovery {
  let made = -1;
  let groups: readonly ServedGroup[] = [];
  let answers = new Map<string, Reply>();
  return (path, accept) => {
    if (!path.startsWith('/api') && !path.startsWith('/openapi/')) return undefined;
    if (made !== registry.revision) {
      made = registry.revision;
      groups = servedGroups(registry);
      answers = new Map();
    }
    const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
    const aggregated = trimmed === '/api' || trimmed === '/apis' ? aggregatedVersion(accept) : undefined;
    const key = `${trimmed} ${aggregated ?? ''}`;
    const reply = answers.get(key) ?? answer(groups, catalogue, trimmed, aggregated);
    // What does not exist is not remembered: anyone can name endless paths.
    if (reply !== undefined) answers.set(key, reply);
    return reply;
  };
}

function answer(
  groups: readonly ServedGroup[],
  catalogue: Catalogue,
  path: string,
  aggregated: string | undefined,
): Reply | undefined {
  if (path === '/openapi/v3') return openApiIndex(groups);
  if (path.startsWith('/openapi/v3/')) {
    const served = versionsOf(groups).find((version) => path === `/openapi/v3/${documentPath(version)}`);
    return served === undefined ? undefined : jsonReply(200, openApiDocument(catalogue, served));
  }
  if (aggregated === undefined) return legacy(groups, path);
  const core = path === '/api';
  const wanted = groups.filter(({ group }) => core === (group === ''));
  return aggregatedReply(wanted, aggregated);
}

function versionsOf(groups: readonly ServedGroup[]): readonly ServedVersion[] {
  return groups.flatMap(({ versions }) => versions);
}

function openApiIndex(groups: readonly ServedGroup[]): Reply {
  const paths = versionsOf(groups).map((version): [string, JsonObject] => {
    const path = documentPath(version);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(path, version)}` }];
  });
  return jsonReply(200, { paths: Object.fromEntries(paths) });
}

/** Documents are large: what they are made of stands for their text. */
function hashOf(path: string, { resources }: ServedVersion): string {
  const parts = resources.map(({ kind, schema, builtIn }) => [kind, builtIn ? null : schema.source]);
  return documentHash({ path, parts });
}

function aggregatedVersion(accept: string | undefined): string | undefined {
  if (accept === undefined || !accept.includes('APIGroupDiscoveryList')) return undefined;
  for (const { parameters } of parseAccept(accept)) {
    if (parameters.get('as') === undefined) return undefined;
    const version = parameters.get('v') ?? '';
    const group = parameters.get('g');
    if (group === 'apidiscovery.k8s.io' && (version === 'v2' || version === 'v2beta1')) return version;
  }
  return undefined;
}

function aggregatedReply(groups: readonly ServedGroup[], version: string): Reply {
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  const headers = { 'content-type': type, 'cache-control': 'public', vary: 'Accept' };
  return withHeaders(jsonReply(200, aggregatedDiscovery(groups, version)), headers);
}

function legacy(groups: readonly ServedGroup[], path: string): Reply | undefined {
  const [prefix, ...parts] = path.split('/').filter((part) => part !== '');
  if (prefix === 'api') return parts.length > 1 ? undefined : core(groups, parts[0]);
  if (prefix !== 'apis' || parts.length > 2) return undefined;
  const [group, version] = parts;
  if (group !== undefined) return groupReply(groups, group, version);
  return jsonReply(200, apiGroupList(groups.filter((found) => found.group !== '')));
}

function core(groups: readonly ServedGroup[], version: string | undefined): Reply | undefined {
  if (version !== undefined) return groupReply(groups, '', version);
  return jsonReply(200, apiVersions(groups.find(({ group }) => group === '')));
}

function groupReply(
  groups: readonly ServedGroup[],
  group: string,
  version: string | undefined,
): Reply | undefined {
  const served = groups.find((found) => found.group === group);
  if (served === undefined) return undefined;
  if (version === undefined) return jsonReply(200, apiGroup(served));
  const resources = served.versions.find((found) => found.version === version);
  return resources === undefined ? undefined : jsonReply(200, apiResourceList(resources));
}
