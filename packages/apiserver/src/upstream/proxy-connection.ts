import { defined, type ApiRequest, type ApiResponse, errorText } from '@kubewright/kube';
import { isIP } from 'node:net';
import { badRequest, failure } from '../api-server-error.ts';
import type { Reply } from '../request/reply.ts';
import type { Connection, ConnectRequest } from '../model/connection.ts';
import { isGlobalUnicast } from './is-global-unicast.ts';
import type { ProxyTarget } from './proxy-target.ts';
import type { UpstreamCall, UpstreamTransport } from './upstream-transport.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
/** Credentials of the client: this server has read them, and does not forward them. */
const IDENTITY =
  /^(?:authorization$|impersonate-(?:user|uid|group|extra-)|x-remote-(?:user|uid|group|extra-))/;

/** `…/NAME/proxy/…` of nodes, pods or services: forwards the request as it is. `targetOf` finds the target, or throws. */
export function proxyConnection(
  kind: string,
  transport: UpstreamTransport,
  targetOf: (request: ConnectRequest) => ProxyTarget,
): Connection {
  return {
    kind,
    methods: METHODS,
    subpaths: true,
    connect(request) {
      if (request.query.has('dryRun')) throw badRequest('dryRun is not supported');
      return proxied(transport, request, targetOf(request));
    },
  };
}

async function proxied(
  transport: UpstreamTransport,
  request: ConnectRequest,
  to: ProxyTarget,
): Promise<Reply> {
  await checkHost(transport, to.address.host);
  const { method, target, subpath, body } = request;
  const [path, search] = splitQuery(target);
  if (subpath === '' && (method === 'GET' || method === 'HEAD'))
    return { status: 301, headers: { location: `${path}/${search}` }, body: [] };
  const prefix = prefixOf(path, subpath);
  const { signal } = request;
  const call: UpstreamCall = {
    ...to,
    method,
    path: `${subpath === '' ? '/' : escapePath(subpath)}${search}`,
    headers: headersFor(request, prefix),
    body,
    ...defined({ signal }),
  };
  return passBack(await responseOf(transport, call), request, to, prefix);
}

/** Neither loopback nor link-local: what listens there trusts its callers. */
async function checkHost(transport: UpstreamTransport, host: string): Promise<void> {
  const addresses = isIP(host) === 0 ? await resolve(transport, host) : [host];
  if (addresses.length === 0) throw badRequest('no addresses for hostname');
  if (!addresses.every(isGlobalUnicast)) throw badRequest('address not allowed');
}

async function resolve(transport: UpstreamTransport, host: string): Promise<readonly string[]> {
  try {
    return await transport.addressesOf(host);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw badRequest(`lookup ${host}: ${code === 'ENOTFOUND' ? 'no such host' : String(error)}`);
  }
}

async function responseOf(transport: UpstreamTransport, call: UpstreamCall): Promise<ApiResponse> {
  try {
    return await transport.call(call);
  } catch (error) {
    const why = errorText(error);
    throw failure(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);
  }
}

function splitQuery(target: string): readonly [string, string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark)];
}

/** The part of the path before the one that the target sees. */
function prefixOf(path: string, subpath: string): string {
  const decoded = decodeURIComponent(path);
  return decoded.endsWith(subpath) ? decoded.slice(0, decoded.length - subpath.length) : decoded;
}

function headersFor(request: ConnectRequest, prefix: string): ApiRequest['headers'] {
  const { headers, source, subpath } = request;
  const kept = Object.entries(headers).filter(([name]) => !IDENTITY.test(name));
  const authority = headers[':authority'];
  const before = headers['x-forwarded-for'];
  const forwarded = [
    ...(before === undefined ? [] : [before].flat()),
    ...(source === undefined ? [] : [source]),
  ];
  return {
    ...defined({ host: authority }),
    ...Object.fromEntries(kept),
    ...(forwarded.length === 0 ? {} : { 'x-forwarded-for': forwarded.join(', ') }),
    'x-forwarded-uri': `${prefix}${escapePath(subpath)}`,
  };
}

/** As Go writes a path. */
function escapePath(path: string): string {
  return encodeURI(path).replaceAll(
    /[?#!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The response unchanged, but for redirects to the same host: they lead through this proxy again. */
function passBack(
  { status, headers, body }: ApiResponse,
  request: ConnectRequest,
  { address }: ProxyTarget,
  prefix: string,
): Reply {
  const { location } = headers;
  if (typeof location !== 'string') return { status, headers, body: body as Reply['body'] };
  const own = [
    `${address.host}:${address.port}`,
    ...[request.headers[':authority'] ?? request.headers['host'] ?? []].flat(),
  ];
  const passed = { ...headers, location: throughHere(location, own, prefix) };
  return { status, headers: passed, body: body as Reply['body'] };
}

function throughHere(location: string, own: readonly string[], prefix: string): string {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(location);
  const path = absolute === null ? location : location.slice(absolute[0].length);
  const elsewhere = absolute !== null && !own.includes(absolute[1] ?? '');
  if (elsewhere || !path.startsWith('/') || path.startsWith('//')) return location;
  return path.startsWith(prefix) ? path : `${prefix}${path}`;
}
