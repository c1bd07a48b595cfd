import { createClient } from '@kubewright/client';
import { type Nodes, type NodesOptions, openKubeletServer } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { OUTER_ADDRESS } from '../support/fake-kubelet.ts';

/** The kubelet API of simulated nodes, for a server in another process. */
export type ServedKubelets = {
  /** The same nodes, with the addresses of their kubelets. */
  readonly nodes: NodesOptions;
  serve(nodes: Nodes): Promise<void>;
  stop(): Promise<void>;
};

/** Starts the kubelets' listener before their nodes register. */
export async function serveKubelets(
  nodes: number | NodesOptions,
  { admin, clientCa }: { readonly admin: Transport; readonly clientCa: string },
): Promise<ServedKubelets> {
  const stop = new AbortController();
  const address = OUTER_ADDRESS ?? '127.0.0.1';
  const listening = await openKubeletServer({ signal: stop.signal, host: address });
  const options = typeof nodes === 'number' ? { nodes } : nodes;
  const named =
    typeof options.nodes === 'number'
      ? Array.from({ length: options.nodes }, (_, index) => ({ name: `node-${index + 1}` }))
      : options.nodes;
  return {
    nodes: { ...options, nodes: named.map((node) => ({ address, ...node, kubeletPort: listening.port })) },
    serve: ({ kubelet }) => listening.serve(kubelet, { client: createClient(admin), clientCa }),
    async stop() {
      stop.abort();
      await listening.ended;
    },
  };
}
