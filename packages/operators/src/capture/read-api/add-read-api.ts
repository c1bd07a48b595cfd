import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ApiError, type Client, isNotFound } from '@kubewright/client';
import { errorText } from '@kubewright/kube';
import type { ExtensionApi, ExtensionCall, ExtensionResponse, Manager } from '@kubewright/runtime';
import { authenticate } from '../../kit/extension/authenticate.ts';
import { jsonResponse, statusResponse } from '../../kit/extension/json-response.ts';
import { isAllowed } from '../../kit/is-allowed.ts';
import { OperatorError } from '../../operator-error.ts';
import { VERSION } from '../api/annotations.ts';
import { MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
import { captureMetrics } from '../metrics/capture-metrics.ts';
import { isReady } from '../manifests/read-checkpoint.ts';
import { READ_GROUP } from './read-api-service.ts';
import { manifestArray, verifyManifests } from './manifest-array.ts';

const PATH = `/apis/${READ_GROUP}`;
const RESOURCE = { resource: MANIFEST_CHECKPOINTS.resource, subresource: 'manifests' };
const MANIFESTS = new RegExp(`^${PATH}/${VERSION}/${RESOURCE.resource}/([^/]+)/${RESOURCE.subresource}$`);

/** Serves the manifests of checkpoints, on every replica. */
export function addReadApi(manager: Manager): void {
  manager.webhookServer().serveApi(PATH, readApi(manager));
}

type ReadApiTools = Pick<Manager, 'client' | 'clock' | 'registry'>;

/** The API. It caches nothing, neither content nor decisions about its callers. */
export function readApi({ client, clock, registry }: ReadApiTools): ExtensionApi {
  const { damaged } = captureMetrics(registry);
  return async (call) => {
    const user = await authenticate(call, client, clock.now());
    if (user === undefined) return statusResponse(401, 'Unauthorized', 'Unauthorized');
    const { pathname, searchParams } = new URL(call.url, 'https://manager');
    const discovered = DISCOVERY[pathname];
    const [, name] = MANIFESTS.exec(pathname) ?? [];
    if (discovered === undefined && name === undefined)
      return statusResponse(404, 'NotFound', 'the server could not find the requested resource');
    if (call.method !== 'GET')
      return statusResponse(
        405,
        'MethodNotAllowed',
        `${call.method} is not supported: checkpoints are only read`,
      );
    if (name === undefined) return jsonResponse(200, discovered ?? {});
    const attributes = { verb: 'get', group: READ_GROUP, version: VERSION, ...RESOURCE, name };
    if (!(await isAllowed(user, attributes, { client, signal: call.signal })))
      return statusResponse(403, 'Forbidden', forbidden(user.username, name));
    const to = searchParams.get('targetNamespace') ?? undefined;
    return manifests(client, call, name, to).catch((error: unknown) => {
      if (isDamage(error, name)) damaged.inc();
      return failure(error, name);
    });
  };
}

/** A chunk is missing, or is not what was captured; that the API server does not respond is another matter. */
function isDamage(error: unknown, name: string): boolean {
  return error instanceof OperatorError || (isNotFound(error) && !isOf(error, name));
}

function isOf(error: unknown, name: string): boolean {
  return error instanceof ApiError && error.status.details?.name === name;
}

const DISCOVERY: Readonly<Record<string, Parameters<typeof jsonResponse>[1]>> = {
  [PATH]: {
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: READ_GROUP,
    versions: [{ groupVersion: `${READ_GROUP}/${VERSION}`, version: VERSION }],
    preferredVersion: { groupVersion: `${READ_GROUP}/${VERSION}`, version: VERSION },
  },
  [`${PATH}/${VERSION}`]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${READ_GROUP}/${VERSION}`,
    resources: [
      {
        name: `${RESOURCE.resource}/${RESOURCE.subresource}`,
        singularName: '',
        namespaced: false,
        kind: MANIFEST_CHECKPOINTS.kind,
        verbs: ['get'],
      },
    ],
  },
};

function forbidden(username: string, name: string): string {
  const { resource, subresource } = RESOURCE;
  return `${resource}.${READ_GROUP} "${name}" is forbidden: User "${username}" cannot get resource "${resource}/${subresource}" in API group "${READ_GROUP}" at the cluster scope`;
}

/** All is verified before the first byte: an error is a response, not a body that breaks off. */
async function manifests(
  client: Client,
  { headers, signal }: ExtensionCall,
  name: string,
  to: string | undefined,
): Promise<ExtensionResponse> {
  const checkpoint = await client.get(MANIFEST_CHECKPOINTS, { name }, { signal });
  if (!isReady(checkpoint))
    return statusResponse(409, 'Conflict', `ManifestCheckpoint ${name} is not Ready: it is incomplete`);
  await verifyManifests(client, checkpoint);
  return zipped(manifestArray(client, checkpoint, to), String(headers['accept-encoding'] ?? ''));
}

function zipped(content: AsyncIterable<Uint8Array>, accepted: string): ExtensionResponse {
  const headers = { 'content-type': 'application/json', vary: 'Accept-Encoding' };
  if (!/(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted))
    return { status: 200, headers, body: content };
  const gzip = createGzip();
  // Its reader sees the error, too.
  pipeline(Readable.from(content), gzip).catch(() => undefined);
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzip };
}

/** What is wrong with a checkpoint is its reader's to know; what is wrong between the API server and here is not final. */
function failure(error: unknown, name: string): ExtensionResponse {
  if (error instanceof OperatorError) return statusResponse(500, 'InternalError', error.message);
  if (!(error instanceof ApiError)) throw error;
  if (isNotFound(error) && isOf(error, name))
    return statusResponse(404, 'NotFound', `ManifestCheckpoint ${name} not found`);
  return statusResponse(500, 'InternalError', errorText(error));
}
