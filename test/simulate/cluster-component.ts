import {
  type Component,
  type Nodes,
  type PartsOptions,
  startParts,
  StorageBackend,
} from '@kubewright/cluster';
import type { Clock } from '@kubewright/client';
import type { ApiRequest } from '@kubewright/kube';

/** One storage system for each world: it outlives the driver that speaks for it. */
const backends = new WeakMap<AbortSignal, StorageBackend>();

/** The storage system of the world that ends with `signal`. */
export function storageBackend(signal: AbortSignal, clock: Clock): StorageBackend {
  const backend = backends.get(signal) ?? new StorageBackend({ clock });
  backends.set(signal, backend);
  return backend;
}

/**
 * What makes the API of a world a cluster, as one component: controllers, a scheduler, nodes and a CSI driver, as far as
 * the options ask for them.
 *
 * @param hand gets its nodes, for what happens to them.
 * @example clusterComponent({ controllers: ['garbage-collector-controller'], nodes: 0, scheduler: false, storage: false })
 */
export function clusterComponent(options: PartsOptions, hand?: (nodes: Nodes) => void): Component {
  return {
    name: 'cluster',
    async start({ connect, clock, random, signal, serveKubelets }) {
      const { storage = true } = options;
      const backend = storageBackend(signal, clock);
      const driver = storage !== false && { backend, ...(storage === true ? {} : storage) };
      const parts = startParts({ ...options, storage: driver, connect, clock, random, signal });
      serveKubelets(parts.nodes);
      hand?.(parts.nodes);
      await parts.ended;
    },
  };
}

/** Renewals of nodes' Leases, and their statuses, go on for ever. */
const HEARTBEAT = /\/namespaces\/kube-node-lease\/leases\/|\/api\/v1\/nodes\/[^/]+\/status/;

export function isClusterHeartbeat({ path }: ApiRequest): boolean {
  return HEARTBEAT.test(path);
}
