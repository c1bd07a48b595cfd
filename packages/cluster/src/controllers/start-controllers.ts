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
import { addStatefulSetController, STATEFULSET_CONTROLLER } from './statefulset/controller.ts';

export type ControllerName =
  | 'deployment-controller'
  | 'garbage-collector-controller'
  | 'namespace-controller'
  | 'replicaset-controller'
  | 'statefulset-controller';

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

/** Answers with what has to be waited for beside the manager's cache, if anything. */
type Add = (
  manager: Manager,
  transport: Transport,
  options: ControllersOptions,
) => void | { readonly waitForSync: (signal: AbortSignal) => Promise<void> };

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
  'statefulset-controller': { account: STATEFULSET_CONTROLLER, add: addStatefulSetController },
};

const CONTROLLER_NAMES = Object.keys(CONTROLLERS) as readonly ControllerName[];

/**
 * Runs the controllers that every cluster has, each under its own service account: the garbage collector, the
 * namespace controller, and those of the workloads.
 *
 * @example `startControllers({ connect: (user) => server.transport(user), signal })`
 */
export function startControllers(options: ControllersOptions): RunningControllers {
  const names = options.controllers ?? CONTROLLER_NAMES;
  const running = names.map((name) => runController(CONTROLLERS[name], options));
  const ready = Promise.all(running.map((controller) => controller.ready));
  const ended = Promise.all(running.map((controller) => controller.ended));
  return { ready: ready.then(() => undefined), ended: ended.then(() => undefined) };
}

function runController(
  { account, add }: { readonly account: string; readonly add: Add },
  options: ControllersOptions,
): RunningControllers {
  const { connect, signal, clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const transport = withRetry(connect(controllerUser(account)), { clock, random });
  const manager = createManager({ client: createClient(transport), clock, random, log });
  const more = add(manager, transport, options);
  const ended = manager.start(signal);
  const synced = Promise.all([manager.cache.waitForSync(signal), more?.waitForSync(signal)]);
  return { ready: synced.then(() => undefined), ended };
}

/** A service account of `kube-system`, as it is authenticated. */
function controllerUser(account: string): UserInfo {
  return {
    username: `system:serviceaccount:kube-system:${account}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
}
