import { errorText, type JsonObject } from '@kubewright/kube';
import { numberAt, objectsAt, specOf, stringAt } from '../objects/read.ts';
import type { ExtensionHost } from '../registry/server-extension.ts';
import { localError } from '../api-server-error.ts';
import type { Delegate } from './delegate.ts';
import { callDelegate, type DelegateAccess } from './call-delegate.ts';
import { versionDiscovery } from './version-discovery.ts';
import type { Availability } from './availability.ts';

/** Whether a delegate is available and, if so, its discovery. */
export type Checked = { readonly availability: Availability; readonly discovery?: JsonObject };

const CHECKER = { username: 'system:kube-aggregator', groups: ['system:masters'] };
const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };
const LONGEST = 4 * 1024 * 1024;
const EMPTY = new Uint8Array(0);

/** Looks for the Service, and requests its discovery. Never rejects. */
export async function checkDelegate(
  host: ExtensionHost,
  reach: DelegateAccess,
  delegate: Delegate,
  signal: AbortSignal,
): Promise<Checked> {
  const missing = serviceError(host, delegate);
  if (missing !== undefined) return { availability: { status: 'False', ...missing } };
  try {
    return { availability: PASSED, discovery: await discover(reach, delegate, signal) };
  } catch (error) {
    const message = errorText(error);
    return { availability: { status: 'False', reason: 'FailedDiscoveryCheck', message } };
  }
}

type Why = Pick<Availability, 'reason' | 'message'>;

function serviceError(host: ExtensionHost, { service }: Delegate): Why | undefined {
  const { namespace, name, port } = service;
  const place = `service/${name} in ${JSON.stringify(namespace)}`;
  const found = host.get({ group: '', resource: 'services', namespace, name });
  if (found === undefined) return { reason: 'ServiceNotFound', message: `${place} is not present` };
  const spec = specOf(found);
  if (stringAt(spec, 'type') !== 'ClusterIP') return undefined;
  if (objectsAt(spec, 'ports').some((one) => numberAt(one, 'port') === port)) return undefined;
  return { reason: 'ServicePortError', message: `${place} is not listening on port ${port}` };
}

async function discover(reach: DelegateAccess, delegate: Delegate, signal: AbortSignal): Promise<JsonObject> {
  const { group, version, service } = delegate;
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const { host, port } = reach.resolveService(service);
  const url = `https://${host}:${port}${path}`;
  const headers = { accept: 'application/json' };
  const call = { method: 'GET', path, headers, body: EMPTY, signal };
  const { status, body } = await callDelegate(reach, delegate, call, CHECKER).catch((cause: unknown) => {
    const why = errorText(cause);
    throw localError(
      'ConnectionFailed',
      `failing or missing response from ${url}: Get "${url}": ${why}`,
      cause,
    );
  });
  const bytes = await collect(body);
  if (status >= 200 && status < 300) return versionDiscovery(version, bytes);
  throw localError(
    'BadResponse',
    `failing or missing response from ${url}: bad status from ${url}: ${status}`,
  );
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LONGEST) throw localError('TooLarge', `the response is longer than ${LONGEST} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
