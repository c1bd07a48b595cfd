import type { UpstreamTransport } from '@kubewright/apiserver';
import type { KubeletApi } from './kubelet-api.ts';

/** The way from an embedded API server to kubelets in the same process: no socket, no certificate. */
export type LocalKubelets = {
  /** For `createApiServer({ upstreamTransport })`: in front of what reaches everything else. */
  readonly transport: (others: UpstreamTransport) => UpstreamTransport;
  /** These nodes are reached from now on: {@link Nodes.kubelet}, with the names of the nodes. */
  join(nodes: { readonly names: readonly string[]; readonly kubelet: KubeletApi }): void;
};

/** An address that is fit to be asked. */
const ANYWHERE = '172.18.0.2';

export function localKubelets(): LocalKubelets {
  const joined = new Map<string, KubeletApi>();
  return {
    transport: (others) => ({
      async call(call) {
        const { kubeletOf = '' } = call;
        const api = joined.get(kubeletOf);
        return await (api === undefined ? others.call(call) : api.handle(call, kubeletOf));
      },
      // Nodes are called by their own names; what is reached is decided by the name alone.
      addressesOf: async (host) => (joined.has(host) ? [ANYWHERE] : others.addressesOf(host)),
      close: () => others.close(),
    }),
    join({ names, kubelet }) {
      for (const name of names) joined.set(name, kubelet);
    },
  };
}
