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
import { addDeploymentController, DEPLOYMENT_CONTROLLER } from './deployment/controller.ts';
import { addGarbageCollector, GARBAGE_COLLECTOR } from './garbage-collector/garbage-collector.ts';
import { addNamespaceController, NAMESPACE_CONTROLLER } from './namespace/namespace-controller.ts';
import { addReplicaSetController, REPLICASET_CONTROLLER } from './replicaset/controller.ts';

export type ControllerName =
  | 'deployment-controller'
  | 'garbage-collector-controller'
  | 'namespace-controller'
  | 'replicaset-controller';

export type ControllersOptions = {
  /** Calls as a user of the cluster: `(user) => server.transport(user)` for an embedded server. */
  readonly connect: (user: UserInfo) => Transport;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  /** By the names that kube-controller-manager gives them. Default: all. */
  readonly controllers?: readonly ControllerName[];
  /** See `NamespaceControllerOptions`. Default 0: one server. */
  readonly namespaceDelayMs?: number;
};

export type RunningControllers = {
  /** Resolves when they work. */
  readonly ready: Promise<void>;
  /** Resolves when the signal has stopped them all; rejects when one failed. */
  readonly ended: Promise<void>;
};

type Add = (manager: Manager, transport: Transport, options: ControllersOptions) => void;

const CONTROLLERS: Readonly<Record<ControllerName, { readonly account: string; readonly add: Add }>> = {
  'deployment-controller': { account: DEPLOYMENT_CONTROLLER, add: addDeploymentController },
  'garbage-collector-controller': {
    account: GARBAGE_COLLECTOR,
    add: (manager, transport) => addGarbageCollector(manager, { transport }),
  },
  'namespace-controller': {
    account: NAMESPACE_CONTROLLER,
    add: (manager, transport, { namespaceDelayMs: delayMs = 0 }) =>
      addNamespaceController(manager, { transport, delayMs }),
  },
  'replicaset-controller': { account: REPLICASET_CONTROLLER, add: addReplicaSetController },
};

const CONTROLLER_NAMES = Object.keys(CONTROLLERS) as readonly ControllerName[];

/**
 * Runs the controllers that every cluster has, each under its own service account: the garbage collector, the
 * namespace controller, and those of Deployments and ReplicaSets.
 *
 * @example `startControllers({ connect: (user) => server.transport(user), signal })`
 */
export function startControllers(options: ControllersOptions): RunningControllers {
  const names = options.controllers ?? CONTROLLER_NAMES;
  const managers = names.map((name) => managerOf(CONTROLLERS[name].account, options, CONTROLLERS[name].add));
  const ended = Promise.all(managers.map((manager) => manager.start(options.signal)));
  const ready = Promise.all(managers.map((manager) => manager.cache.waitForSync(options.signal)));
  return { ready: ready.then(() => undefined), ended: ended.then(() => undefined) };
}

function managerOf(account: string, options: ControllersOptions, add: Add): Manager {
  const { connect, clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const transport = withRetry(connect(controllerUser(account)), { clock, random });
  const manager = createManager({ client: createClient(transport), clock, random, log });
  add(manager, transport, options);
  return manager;
}

/** A service account of `kube-system`, as it is authenticated. */
function controllerUser(account: string): UserInfo {
  return {
    username: `system:serviceaccount:kube-system:${account}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
}
