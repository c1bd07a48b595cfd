import type { UserInfo } from '@kubewright/apiserver';
import type { Clock, Random } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import type { Logger } from '@kubewright/runtime';
import {
  type ControllerName,
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

export type StartPartsOptions = PartsOptions & {
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
 * Runs what makes an API a cluster: controllers, a scheduler, simulated nodes.
 *
 * @example `startParts({ connect: (user) => server.transport(user), signal, nodes: 2 })`
 */
export function startParts(options: StartPartsOptions): RunningParts {
  const { nodes: wanted = 1, scheduler = true } = options;
  const { connect } = options;
  const wishes = typeof wanted === 'number' ? { nodes: wanted } : wanted;
  const nodes = wanted === 0 ? NO_NODES : startNodes({ ...options, ...wishes });
  const parts: RunningControllers[] = [nodes];
  if (options.controllers?.length !== 0) parts.push(startControllers(options));
  if (scheduler) parts.push(startScheduler({ ...options, transport: connect(SCHEDULER_USER) }));
  const all = (promises: readonly Promise<void>[]): Promise<void> =>
    Promise.all(promises).then(() => undefined);
  return {
    nodes,
    ready: all(parts.map(({ ready }) => ready)),
    ended: all(parts.map(({ ended }) => ended)),
  };
}
