import type { UserInfo } from '@kubewright/apiserver';
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
import { SCHEDULER_USER, startScheduler } from './scheduler/start-scheduler.ts';

/** What a cluster has beside its API. */
export type PartsOptions = {
  /** By the names that kube-controller-manager gives them. Default: all; none with an empty list. */
  readonly controllers?: readonly ControllerName[];
  /** Default: true. */
  readonly scheduler?: boolean;
  /** How many simulated nodes, or which. Default: one. */
  readonly nodes?: number | NodesOptions;
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

const NO_NODES: Nodes & RunningControllers = {
  names: [],
  runtimes: [],
  lose: (name) => {
    throw new Error(`there is no node ${name}`);
  },
  restore: (name) => {
    throw new Error(`there is no node ${name}`);
  },
  ready: Promise.resolve(),
  ended: Promise.resolve(),
};

/**
 * Runs what makes an API a cluster: controllers, a scheduler, simulated nodes. When one fails, all are stopped.
 *
 * @example `startParts({ connect: (user) => server.transport(user), signal, nodes: 2 })`
 */
export function startParts(options: StartPartsOptions): RunningParts {
  const { nodes: wanted = 1, scheduler = true, connect } = options;
  const stop = new AbortController();
  const forget = onAbort(options.signal, () => stop.abort());
  const around = { ...options, signal: stop.signal };
  const wishes = typeof wanted === 'number' ? { nodes: wanted } : wanted;
  const nodes = wanted === 0 ? NO_NODES : startNodes({ ...around, ...wishes });
  const parts: RunningControllers[] = [nodes];
  if (options.controllers?.length !== 0) parts.push(startControllers(around));
  if (scheduler) parts.push(startScheduler({ ...around, transport: connect(SCHEDULER_USER) }));
  for (const { ended } of parts) ended.catch(() => stop.abort());
  const ready = Promise.all(parts.map((part) => part.ready)).then(() => undefined);
  return { nodes, ready, ended: endOf(parts).finally(forget) };
}

async function endOf(parts: readonly RunningControllers[]): Promise<void> {
  for (const end of await Promise.allSettled(parts.map(({ ended }) => ended)))
    if (end.status === 'rejected') throw end.reason;
}
