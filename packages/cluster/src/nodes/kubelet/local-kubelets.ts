import type { UpstreamTransport } from '@kubewright/apiserver';
import type { KubeletApi } from './kubelet-api.ts';

/** The way from an embedded API server to kubelets in the same process: no socket, no certificate. */
export type LocalKubelets = {
  /** For `createApiServer({ upstreamTransport })`. */
  readonly transport: UpstreamTransport;
  /** These nodes are reached from now on: {@link Nodes.kubelet}, with the names of the nodes. */
  join(nodes: { readonly names: readonly string[]; readonly kubelet: KubeletApi }): void;
};

/** Requests to anything else go through `others`; without it nobody is there. */
export function localKubelets(others?: UpstreamTransport): LocalKubelets {
  const joined = new Map<string, KubeletApi>();
  return {
    transport: {
      async call(call) {
        const { kubeletOf = '', address } = call;
        const api = joined.get(kubeletOf);
        if (api !== undefined) return await api.handle(call, kubeletOf);
        if (others !== undefined) return await others.call(call);
        throw new Error(`dial tcp ${address.host}:${address.port}: connect: connection refused`);
      },
      // Nodes are called by their own names; what is reached is decided by the name alone.
      addressesOf: async (host) =>
        joined.has(host) ? ['172.18.0.2'] : ((await others?.addressesOf(host)) ?? []),
      close: () => others?.close(),
    },
    join({ names, kubelet }) {
      for (const name of names) joined.set(name, kubelet);
    },
  };
}
