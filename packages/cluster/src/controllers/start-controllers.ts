import type { UserInfo } from '@kubewright/apiserver';
import {
  type Clock,
  createClient,
  type Random,
  systemClock,
  systemRandom,
  withRetry,
} from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { createManager, type Logger, type Manager, silentLogger } from '@kubewright/runtime';
import { addGarbageCollector, GARBAGE_COLLECTOR } from './garbage-collector/garbage-collector.ts';
import { addNamespaceController, NAMESPACE_CONTROLLER } from './namespace/namespace-controller.ts';

export type ControllersOptions = {
  /** Calls as a user of the cluster: `(user) => server.transport(user)` for an embedded server. */
  readonly connect: (user: UserInfo) => Transport;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  /** See `NamespaceControllerOptions`. Default 0: one server. */
  readonly namespaceDelayMs?: number;
};

export type RunningControllers = {
  /** Resolves when they work. */
  readonly ready: Promise<void>;
  /** Resolves when the signal has stopped them all; rejects when one failed. */
  readonly ended: Promise<void>;
};

/**
 * Runs the controllers that every cluster has, each under its own service account: the garbage collector and the
 * namespace controller.
 *
 * @example `startControllers({ connect: (user) => server.transport(user), signal })`
 */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { namespaceDelayMs: delayMs = 0 } = options;
  const managers = [
    managerOf(GARBAGE_COLLECTOR, options, (manager, transport) =>
      addGarbageCollector(manager, { transport }),
    ),
    managerOf(NAMESPACE_CONTROLLER, options, (manager, transport) =>
      addNamespaceController(manager, { transport, delayMs }),
    ),
  ];
  const ended = Promise.all(managers.map((manager) => manager.start(options.signal)));
  const ready = Promise.all(managers.map((manager) => manager.cache.waitForSync(options.signal)));
  return { ready: ready.then(() => undefined), ended: ended.then(() => undefined) };
}

function managerOf(
  account: string,
  options: ControllersOptions,
  add: (manager: Manager, transport: Transport) => void,
): Manager {
  const { connect, clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const transport = withRetry(connect(controllerUser(account)), { clock, random });
  const manager = createManager({ client: createClient(transport), clock, random, log });
  add(manager, transport);
  return manager;
}

/** A service account of `kube-system`, as it is authenticated. */
function controllerUser(account: string): UserInfo {
  return {
    username: `system:serviceaccount:kube-system:${account}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
}
