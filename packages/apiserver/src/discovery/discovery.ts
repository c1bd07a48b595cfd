import { type JsonObject, stringifyJson } from '@kubewright/kube';
import type { Catalogue } from '@kubewright/kube/schema';
import { parseAccept } from '../request/negotiate.ts';
import type { Aggregator } from '../aggregation/aggregator.ts';
import type { Registry } from '../registry/registry.ts';
import { encodeOpenApi } from '../protobuf/encode-open-api.ts';
import { jsonReply, type Reply, textReply, withHeaders } from '../request/reply.ts';
import { aggregatedDiscovery } from './aggregated-discovery.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './api-resource-list.ts';
import { type Conditions, ifChanged, withEtag } from './if-changed.ts';
import { openApiV2Document } from './open-api-v2-document.ts';
import { documentHash, documentPath, openApiDocument } from './open-api-document.ts';
import { type ServedGroup, type ServedVersion, allGroups } from './served-group.ts';

/** Serves discovery and OpenAPI paths; undefined for all others. */
export type Discovery = (path: string, asked: Asked) => Reply | undefined;

/** What of a request decides on the response: two headers, and the version of a document that the client wants. */
type Asked = Conditions & { readonly accept: string | undefined };

/** Responses are made at the first request, and again when the registry has changed. */
export function createDiscovery(
  registry: Registry,
  catalogue: Catalogue,
  remote: Aggregator['delegates'],
): Discovery {
  let made = '';
  let groups: readonly ServedGroup[] = [];
  let replies = new Map<string, Reply>();
  return (path, asked) => {
    if (!path.startsWith('/api') && !path.startsWith('/openapi/')) return undefined;
    const revision = `${registry.revision} ${remote.revision}`;
    if (made !== revision) {
      made = revision;
      groups = allGroups(registry, remote.versions());
      replies = new Map();
    }
    const trimmed = path.endsWith('/') && !path.startsWith('/openapi/') ? path.slice(0, -1) : path;
    const form = formOf(trimmed, asked.accept);
    const key = `${trimmed} ${form ?? ''}`;
    const reply = replies.get(key) ?? makeReply(groups, catalogue, trimmed, form);
    // What does not exist is not remembered: anyone can name endless paths.
    if (reply !== undefined) replies.set(key, reply);
    return reply === undefined ? undefined : ifChanged(reply, path, asked);
  };
}

function makeReply(
  groups: readonly ServedGroup[],
  catalogue: Catalogue,
  path: string,
  form: string | undefined,
): Reply | undefined {
  if (path === '/openapi/v3') return openApiIndex(groups);
  if (path === '/openapi/v2') return openApiV2(catalogue, groups, form);
  if (path.startsWith('/openapi/v3/')) {
    const served = versionsOf(groups).find((version) => path === `/openapi/v3/${documentPath(version)}`);
    if (served === undefined) return undefined;
    const hash = hashOf(documentPath(served), served);
    return withEtag(jsonReply(200, openApiDocument(catalogue, served)), hash);
  }
  if (form === undefined) return legacy(groups, path);
  const core = path === '/api';
  const wanted = groups.filter(({ group }) => core === (group === ''));
  return aggregatedReply(wanted, form);
}

const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The negotiated form of a path's response, where it has another than JSON. */
function formOf(path: string, accept: string | undefined): string | undefined {
  if (path === '/api' || path === '/apis') return aggregatedVersion(accept);
  return path === '/openapi/v2' && accept?.includes('proto-openapi.spec.v2') === true
    ? PROTOBUF_V2
    : undefined;
}

function openApiV2(catalogue: Catalogue, groups: readonly ServedGroup[], form: string | undefined): Reply {
  const versions = versionsOf(groups);
  const document = openApiV2Document(catalogue, versions);
  const hash = documentHash({
    form: form ?? 'json',
    parts: versions.map((version) => hashOf(documentPath(version), version)),
  });
  if (form === undefined) return withEtag(jsonReply(200, document), hash);
  const reply = { status: 200, headers: { 'content-type': form }, body: [encodeOpenApi(document)] };
  return withEtag(reply, hash);
}

function versionsOf(groups: readonly ServedGroup[]): readonly ServedVersion[] {
  return groups.flatMap(({ versions }) => versions).filter(({ remote }) => remote === undefined);
}

function openApiIndex(groups: readonly ServedGroup[]): Reply {
  const paths = versionsOf(groups).map((version): [string, JsonObject] => {
    const path = documentPath(version);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(path, version)}` }];
  });
  return textReply(200, stringifyJson({ paths: Object.fromEntries(paths) }));
}

/** Documents are large: the hash is of what they are made of. */
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
