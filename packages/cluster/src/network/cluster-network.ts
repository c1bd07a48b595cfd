import { BlockList, isIP } from 'node:net';
import { ClusterError } from '../cluster-error.ts';
import type { Nodes } from '../nodes/start-nodes.ts';
import type { NetworkAddress } from '../nodes/runtime/container-runtime.ts';

/** The addresses that exist in a simulated cluster only, and where on this machine something listens for them. */
export type ClusterNetwork = {
  /**
   * Where to connect: on the loopback for what a container listens at, elsewhere for addresses that are not the cluster's.
   * Throws, as a dial does, for one of the cluster's at which nothing listens: the network of this machine never sees it.
   */
  readonly route: (address: NetworkAddress) => NetworkAddress;
  /** These nodes and their pods are in the network from now on. */
  readonly join: (nodes: Pick<Nodes, 'names' | 'networks' | 'runtimes'>) => void;
};

/** Of which the server takes the addresses of Services. */
const SERVICES = ['10.96.0.0', 16] as const;

export function clusterNetwork(): ClusterNetwork {
  const own = new BlockList();
  own.addSubnet(...SERVICES);
  const names = new Set<string>();
  let runtimes: Nodes['runtimes'] = [];
  const isOwn = (host: string): boolean => names.has(host) || (isIP(host) === 4 && own.check(host));
  return {
    route(address) {
      const { host, port } = address;
      if (!isOwn(host)) return address;
      for (const runtime of runtimes) {
        const found = runtime.listening?.(address);
        if (found !== undefined) return found;
      }
      throw new ClusterError('ConnectionFailed', `dial tcp ${host}:${port}: connect: connection refused`);
    },
    join(nodes) {
      runtimes = nodes.runtimes;
      for (const name of nodes.names) names.add(name);
      for (const { address, prefix } of nodes.networks) own.addSubnet(address, prefix);
    },
  };
}
