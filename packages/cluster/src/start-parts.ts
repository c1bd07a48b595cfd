import { onAbort } from '@kubewright/client';
import { type ControllersOptions, startControllers } from './controllers/start-controllers.ts';
import { type Nodes, type NodesOptions, startNodes } from './nodes/start-nodes.ts';
import type { PartEnvironment, RunningPart } from './part-manager.ts';
import { startScheduler } from './scheduler/start-scheduler.ts';
import { type StorageOptions, startStorage } from './storage/start-storage.ts';

/** What a cluster has beside its API. No controllers: an empty list. */
export type PartsOptions = ControllersOptions & {
  /** Default: true. */
  readonly scheduler?: boolean;
  /** How many simulated nodes, or which. Default: one. */
  readonly nodes?: number | NodesOptions;
  /** A simulated CSI driver. Default: true, over a storage system of its own. */
  readonly storage?: boolean | StorageOptions;
};

export type RunningParts = RunningPart & { readonly nodes: Nodes };

/**
 * Runs what makes an API a cluster: controllers, a scheduler, simulated nodes and volumes. When one fails, all are stopped.
 *
 * @example `startParts({ connect: (user) => server.transport(user), signal, nodes: 2 })`
 */
export function startParts(options: PartEnvironment & PartsOptions): RunningParts {
  const { nodes: wanted = 1 } = options;
  const stop = new AbortController();
  const forget = onAbort(options.signal, () => stop.abort());
  const running = { ...options, signal: stop.signal };
  const nodes = startNodes({ ...running, ...(typeof wanted === 'number' ? { nodes: wanted } : wanted) });
  const parts = [nodes, ...startPrograms(running)];
  for (const { ended } of parts) ended.catch(() => stop.abort());
  const ready = Promise.all(parts.map((part) => part.ready)).then(() => undefined);
  return { nodes, ready, ended: endOf(parts).finally(forget) };
}

/** All but the nodes. */
function startPrograms(options: PartEnvironment & PartsOptions): readonly RunningPart[] {
  const { controllers, scheduler = true, storage = true } = options;
  const parts: RunningPart[] = [];
  if (controllers?.length !== 0) parts.push(startControllers(options));
  if (scheduler) parts.push(startScheduler(options));
  if (storage !== false) parts.push(startStorage({ ...options, ...(storage === true ? {} : storage) }));
  return parts;
}

async function endOf(parts: readonly RunningPart[]): Promise<void> {
  for (const end of await Promise.allSettled(parts.map(({ ended }) => ended)))
    if (end.status === 'rejected') throw end.reason;
}
