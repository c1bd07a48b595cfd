import { defined, type ApiResponse, errorText, type Stored } from '@kubewright/kube';
import { visitContainers } from '../pods/visit-containers.ts';
import { objectsAt, specOf, stringAt } from '../objects/read.ts';
import { badRequest, failure, invalid, notFound } from '../api-server-error.ts';
import type { Reply } from '../request/reply.ts';
import type { Store } from '../storage/store.ts';
import type { Connection, ConnectRequest } from '../model/connection.ts';
import { genericResponse } from './generic-response.ts';
import type { Kubelets } from './kubelets.ts';
import { podLogOptions } from './pod-log-options.ts';
import type { UpstreamCall, UpstreamTransport } from './upstream-transport.ts';

const PODS = { group: '', resource: 'pods' };
/** Of a kubelet's error response, this many bytes are read. */
const ERROR_LIMIT = 50_000;
const EMPTY = new Uint8Array(0);

export type PodLogSources = {
  readonly store: Store;
  readonly kubelets: Kubelets;
  readonly transport: UpstreamTransport;
};

/** `GET …/pods/NAME/log`: streams a container's output from the kubelet. */
export function podLog(sources: PodLogSources): Connection {
  return {
    kind: 'Pod',
    methods: ['GET'],
    subpaths: false,
    connect: (request) => readLog(sources, request),
  };
}

function readLog(
  { store, kubelets, transport }: PodLogSources,
  request: ConnectRequest,
): Reply | Promise<Reply> {
  const { name, namespace, query, signal } = request;
  const { options, errors } = podLogOptions(query);
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
  const pod = store.collection('', 'pods').get(`${namespace}/${name}`)?.object;
  if (pod === undefined) throw notFound(PODS, name);
  const container = containerOf(pod, options.container);
  const node = stringAt(specOf(pod), 'nodeName');
  // No node runs it: there is no log yet.
  if (node === '') return { status: 204, headers: {}, body: [] };
  const { host, port } = kubelets.find(node, PODS);
  const path = `/containerLogs/${namespace}/${name}/${container}`;
  return fetchLog(transport, name, {
    method: 'GET',
    path: options.query === '' ? path : `${path}?${options.query}`,
    headers: { 'accept-encoding': 'identity', 'user-agent': 'kube-apiserver' },
    body: EMPTY,
    scheme: 'https',
    address: { host, port },
    kubeletOf: node,
    insecure: options.insecure,
    ...defined({ signal }),
  });
}

/** The container of the request; a pod with only one needs no name. */
function containerOf(pod: Stored, wanted: string): string {
  const spec = specOf(pod);
  const name = pod.metadata.name;
  const all = visitContainers(spec, '', (container) => [stringAt(container, 'name')]);
  if (wanted !== '') {
    if (!all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
    return wanted;
  }
  const [only, ...others] = objectsAt(spec, 'containers');
  if (only !== undefined && others.length === 0) return stringAt(only, 'name');
  const choice = only === undefined ? '' : `, choose one of: [${all.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${name}${choice}`);
}

async function fetchLog(transport: UpstreamTransport, name: string, call: UpstreamCall): Promise<Reply> {
  const response = await responseOf(transport, call);
  const { status } = response;
  if (status >= 300 && status < 400) {
    await textOf(response);
    const location = response.headers['location'];
    throw failure(500, '', `Get "${String(location)}": redirects forbidden`);
  }
  if (status < 200 || status > 206)
    throw genericResponse({ status, text: await textOf(response) }, 'pods/log', name);
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: response.body as Reply['body'] };
}

async function responseOf(transport: UpstreamTransport, call: UpstreamCall): Promise<ApiResponse> {
  try {
    return await transport.call(call);
  } catch (error) {
    const { scheme, address, path } = call;
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    const why = errorText(error);
    throw failure(500, '', `Get "${scheme}://${host}:${address.port}${path}": ${why}`);
  }
}

async function textOf({ body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= ERROR_LIMIT) break;
  }
  return Buffer.concat(chunks).subarray(0, ERROR_LIMIT).toString();
}
