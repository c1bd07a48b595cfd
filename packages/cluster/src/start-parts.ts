import { ADMIN, type UserInfo } from '@kubewright/apiserver';
import { type Clock, onAbort, type Random } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import type { Logger } from '@kubewright/runtime';
import {
  type ControllerName,
  type ControllersOptions,
  type RunningControllers,
  startControllers,
} from './controllers/start-controllers.ts';
import { type Nodes, type NodesOptions, startNodes } from './nodes/start-nodes.ts';
import type { StorageBackend } from './storage/backend/storage-backend.ts';
import { startStorage } from './storage/start-storage.ts';
import { SCHEDULER_USER, startScheduler } from './scheduler/start-scheduler.ts';

/** What a cluster has beside its API. */
export type PartsOptions = {
  /** By the names that kube-controller-manager gives them. Default: all; none with an empty list. */
  readonly controllers?: readonly ControllerName[];
  /** Default: true. */
  readonly scheduler?: boolean;
  /** How many simulated nodes, or which. Default: one. */
  readonly nodes?: number | NodesOptions;
  /** A simulated CSI driver, and where its volumes are. Default: true, in a storage system of its own. */
  readonly storage?: boolean | StorageBackend;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
};

export type StartPartsOptions = PartsOptions &
  Pick<ControllersOptions, 'rootCa'> & {
    /** Calls as a user of the cluster, on an embedded server, in a world, or wherever one may be somebody else. */
    readonly connect: (user: UserInfo) => Transport;
    readonly signal: AbortSignal;
  };

export type RunningParts = RunningControllers & { readonly nodes: Nodes };

/**
 * Runs what makes an API a cluster: controllers, a scheduler, simulated nodes and volumes. When one fails, all are stopped.
 *
 * @example `startParts({ connect: (user) => server.transport(user), signal, nodes: 2 })`
 */
export function startParts(options: StartPartsOptions): RunningParts {
  const { nodes: wanted = 1 } = options;
  const stop = new AbortController();
  const forget = onAbort(options.signal, () => stop.abort());
  const around = { ...options, signal: stop.signal };
  const wishes = typeof wanted === 'number' ? { nodes: wanted } : wanted;
  const nodes = startNodes({ ...around, ...wishes });
  const parts = [nodes, ...startPrograms(around)];
  for (const { ended } of parts) ended.catch(() => stop.abort());
  const ready = Promise.all(parts.map((part) => part.ready)).then(() => undefined);
  return { nodes, ready, ended: endOf(parts).finally(forget) };
}

/** All but the nodes. */
function startPrograms(options: StartPartsOptions): readonly RunningControllers[] {
  const { scheduler = true, storage = true, connect } = options;
  const parts: RunningControllers[] = [];
  if (options.controllers?.length !== 0) parts.push(startControllers(options));
  if (scheduler) parts.push(startScheduler({ ...options, transport: connect(SCHEDULER_USER) }));
  if (storage !== false) {
    const backend = storage === true ? {} : { backend: storage };
    parts.push(startStorage({ ...options, ...backend, transport: connect(ADMIN) }));
  }
  return parts;
}

async function endOf(parts: readonly RunningControllers[]): Promise<void> {
  for (const end of await Promise.allSettled(parts.map(({ ended }) => ended)))
    if (end.status === 'rejected') throw end.reason;
}
