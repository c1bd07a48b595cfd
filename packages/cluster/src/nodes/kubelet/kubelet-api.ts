import type { ApiResponse } from '@kubewright/kube';
import { ClusterError } from '../../cluster-error.ts';
import { checkpoint } from './checkpoint.ts';
import { containerLogs } from './container-logs.ts';
import type { KubeletRequest } from './kubelet-request.ts';
import type { KubeletSources } from './kubelet-sources.ts';
import { jsonResponse, textResponse } from './text-response.ts';

/** The HTTP API of the kubelets of this process, without sockets and without authentication. */
export type KubeletApi = {
  /** Handles a request to a node of this process. Rejects where the node is lost. */
  handle(request: KubeletRequest, node: string): Promise<ApiResponse>;
  /**
   * The node that a request is meant for, where one listener serves all: that of the pod in the path, else the one that
   * an API server passed it on for, else the only one. Undefined where that does not tell.
   */
  nodeFor(request: KubeletRequest): string | undefined;
};

export function createKubeletApi(sources: KubeletSources): KubeletApi {
  return {
    async handle(request, node) {
      if (sources.isDown(node))
        throw new ClusterError('ConnectionFailed', `dial tcp: node ${node}: i/o timeout`);
      const parts = partsOf(request.path);
      return parts === undefined ? textResponse(400, 'bad request') : route(sources, request, node, parts);
    },
    nodeFor(request) {
      const [verb = '', namespace = '', name = ''] = partsOf(request.path) ?? [];
      const pod = OF_PODS.has(verb) ? sources.pod(namespace, name) : undefined;
      return pod?.spec.nodeName ?? passedOnFor(sources, request) ?? onlyOne(sources);
    },
  };
}

const OF_PODS = new Set(['containerLogs', 'checkpoint']);

function partsOf(path: string): readonly string[] | undefined {
  try {
    return (path.split('?', 1)[0] ?? '')
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** API servers say under which path they were asked. */
function passedOnFor({ names }: KubeletSources, { headers }: KubeletRequest): string | undefined {
  const uri = headers['x-forwarded-uri'];
  const id = typeof uri === 'string' ? /^\/api\/v1\/nodes\/([^/]+)\/proxy/.exec(uri)?.[1] : undefined;
  const parts = id?.split(':') ?? [];
  const name = parts.length === 3 ? parts[1] : parts[0];
  return name !== undefined && names.includes(name) ? name : undefined;
}

function onlyOne({ names }: KubeletSources): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

async function route(
  sources: KubeletSources,
  request: KubeletRequest,
  node: string,
  [verb = '', ...rest]: readonly string[],
): Promise<ApiResponse> {
  const key = `${request.method} ${verb} ${rest.length}`;
  const [namespace = '', name = '', container = ''] = rest;
  if (key === 'GET containerLogs 3')
    return containerLogs(sources, request, { node, namespace, name, container });
  if (key === 'POST checkpoint 3') return checkpoint(sources, request, { node, namespace, name, container });
  if (key === 'GET healthz 0') return textResponse(200, 'ok');
  if (key === 'GET pods 0') {
    return jsonResponse(200, {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: {},
      items: sources.podsOn(node),
    });
  }
  if (KNOWN.has(verb)) return textResponse(405, '405: Method Not Allowed');
  return textResponse(404, '404: Page Not Found');
}

const KNOWN = new Set(['containerLogs', 'checkpoint', 'healthz', 'pods']);
