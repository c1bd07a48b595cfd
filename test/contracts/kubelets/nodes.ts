import type { JsonObject } from '@kubewright/kube';
import type { TestServer } from '../../servers/test-server.ts';
import { call, PATCH } from '../../support/api.ts';

const NODES = '/api/v1/nodes';

/** A node whose kubelet is said to be there. Without an address its status says nothing. */
export async function makeNode(
  server: TestServer,
  name: string,
  kubelet?: { readonly host: string; readonly port: number },
): Promise<void> {
  await call(server.transport(), 'POST', NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  if (kubelet === undefined) return;
  const status = {
    addresses: [{ type: 'InternalIP', address: kubelet.host }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  };
  await call(server.transport(), 'PATCH', `${NODES}/${name}/status`, { status }, PATCH.merge);
}

export async function removeNodes(server: TestServer, names: readonly string[]): Promise<void> {
  for (const name of names) await call(server.transport(), 'DELETE', `${NODES}/${name}`);
}

/** A pod with these containers, on a node if one is named. */
export function podOn(
  name: string,
  nodeName: string | undefined,
  containers: readonly string[] = ['c'],
): JsonObject {
  const spec = { containers: containers.map((container) => ({ name: container, image: 'image' })) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: nodeName === undefined ? spec : { ...spec, nodeName },
  };
}
