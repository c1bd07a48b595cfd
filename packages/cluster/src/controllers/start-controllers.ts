import { KUBERNETES_VERSION, type UserInfo } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import type { Manager } from '@kubewright/runtime';
import { type PartEnvironment, partManager, type RunningPart } from '../part-manager.ts';
import { addCronJobController, CRONJOB_CONTROLLER } from './cronjob/cronjob-controller.ts';
import { addDaemonSetController, DAEMONSET_CONTROLLER } from './daemonset/daemonset-controller.ts';
import { addDeploymentController, DEPLOYMENT_CONTROLLER } from './deployment/deployment-controller.ts';
import { addDisruptionController, DISRUPTION_CONTROLLER } from './disruption/disruption-controller.ts';
import { addEndpointsController, ENDPOINT_CONTROLLER } from './endpoints/endpoint-controller.ts';
import {
  addEndpointSliceController,
  ENDPOINTSLICE_CONTROLLER,
} from './endpointslice/endpointslice-controller.ts';
import {
  addEphemeralVolumeController,
  EPHEMERAL_VOLUME_CONTROLLER,
} from './ephemeral-volume/ephemeral-volume-controller.ts';
import { addGarbageCollector, GARBAGE_COLLECTOR } from './garbage-collector/garbage-collector.ts';
import {
  addHorizontalPodAutoscaler,
  HORIZONTAL_POD_AUTOSCALER,
} from './horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts';
import type { AutoscalerSettings } from './horizontal-pod-autoscaler/autoscaler-settings.ts';
import { JOB_CONTROLLER } from './job/constants.ts';
import { addJobController } from './job/add-job-controller.ts';
import { addNamespaceController, NAMESPACE_CONTROLLER } from './namespace/namespace-controller.ts';
import {
  addNodeLifecycleController,
  NODE_CONTROLLER,
  type NodeLifecycleOptions,
} from './node-lifecycle/add-node-lifecycle-controller.ts';
import { addAttachDetachController, ATTACH_DETACH } from './volume-attachment/attach-detach.ts';
import { addVolumeBinder, VOLUME_BINDER } from './volume-binder/volume-binder.ts';
import {
  addClaimProtection,
  addVolumeProtection,
  CLAIM_PROTECTION,
  VOLUME_PROTECTION,
} from './volume-protection/volume-protection.ts';
import {
  addPodGarbageCollector,
  POD_GARBAGE_COLLECTOR,
  type PodGarbageCollectorOptions,
} from './pod-garbage-collector/pod-garbage-collector.ts';
import { addReplicaSetController, REPLICASET_CONTROLLER } from './replicaset/replicaset-controller.ts';
import {
  addResourceQuotaController,
  RESOURCE_QUOTA_CONTROLLER,
} from './resource-quota/resource-quota-controller.ts';
import { addTaintEvictionController } from './taint-eviction/add-taint-eviction-controller.ts';
import { addRootCaPublisher, ROOT_CA_PUBLISHER } from './root-ca/root-ca-publisher.ts';
import {
  addServiceAccountController,
  SERVICE_ACCOUNT_CONTROLLER,
} from './serviceaccount/service-account-controller.ts';
import { addStatefulSetController, STATEFULSET_CONTROLLER } from './statefulset/statefulset-controller.ts';
import {
  addTtlAfterFinishedController,
  TTL_AFTER_FINISHED_CONTROLLER,
} from './ttl-after-finished/ttl-after-finished-controller.ts';

export type ControllerName =
  | 'cronjob-controller'
  | 'daemonset-controller'
  | 'deployment-controller'
  | 'disruption-controller'
  | 'endpoints-controller'
  | 'endpointslice-controller'
  | 'ephemeral-volume-controller'
  | 'garbage-collector-controller'
  | 'horizontal-pod-autoscaler-controller'
  | 'job-controller'
  | 'namespace-controller'
  | 'node-lifecycle-controller'
  | 'persistentvolume-attach-detach-controller'
  | 'persistentvolume-binder-controller'
  | 'persistentvolume-protection-controller'
  | 'persistentvolumeclaim-protection-controller'
  | 'pod-garbage-collector-controller'
  | 'replicaset-controller'
  | 'resourcequota-controller'
  | 'root-ca-certificate-publisher-controller'
  | 'serviceaccount-controller'
  | 'statefulset-controller'
  | 'taint-eviction-controller'
  | 'ttl-after-finished-controller';

export type ControllersOptions = {
  /** By the names that kube-controller-manager gives them. Default: all. */
  readonly controllers?: readonly ControllerName[];
  /** See `NamespaceControllerOptions`. Default 0: one server. */
  readonly namespaceDelayMs?: number;
  readonly nodeLifecycle?: NodeLifecycleOptions;
  readonly podGarbageCollector?: PodGarbageCollectorOptions;
  /** PEM of the authority by which clients know the server, to be published in every namespace. Default: empty. */
  readonly rootCa?: string;
  /** Where HorizontalPodAutoscalers are not looked at as often, or as carefully, as by default. */
  readonly autoscaler?: Partial<AutoscalerSettings>;
};

/**
 * `manager` writes as the controller's account, its cache is everybody's; `transport` calls as that account, for what is
 * not cached. Returns what has to be waited for beside the cache, if anything.
 */
type Add = (
  manager: Manager,
  transport: Transport,
  options: ControllersOptions,
) => void | { readonly waitForSync: (signal: AbortSignal) => Promise<void> };

/** `account` is the service account of `kube-system` that a controller acts as. */
const CONTROLLERS: Readonly<Record<ControllerName, { readonly account: string; readonly add: Add }>> = {
  'cronjob-controller': { account: CRONJOB_CONTROLLER, add: addCronJobController },
  'daemonset-controller': { account: DAEMONSET_CONTROLLER, add: addDaemonSetController },
  'deployment-controller': { account: DEPLOYMENT_CONTROLLER, add: addDeploymentController },
  'disruption-controller': { account: DISRUPTION_CONTROLLER, add: addDisruptionController },
  'endpoints-controller': { account: ENDPOINT_CONTROLLER, add: addEndpointsController },
  'endpointslice-controller': { account: ENDPOINTSLICE_CONTROLLER, add: addEndpointSliceController },
  'ephemeral-volume-controller': { account: EPHEMERAL_VOLUME_CONTROLLER, add: addEphemeralVolumeController },
  'garbage-collector-controller': {
    account: GARBAGE_COLLECTOR,
    add: (manager, transport) => addGarbageCollector(manager, { transport }),
  },
  'horizontal-pod-autoscaler-controller': {
    account: HORIZONTAL_POD_AUTOSCALER,
    add: (manager, transport, { autoscaler = {} }) =>
      addHorizontalPodAutoscaler(manager, { transport, settings: autoscaler }),
  },
  'job-controller': { account: JOB_CONTROLLER, add: addJobController },
  'namespace-controller': {
    account: NAMESPACE_CONTROLLER,
    add: (manager, transport, { namespaceDelayMs: delayMs = 0 }) =>
      addNamespaceController(manager, { transport, delayMs }),
  },
  'node-lifecycle-controller': {
    account: NODE_CONTROLLER,
    add: (manager, _transport, { nodeLifecycle }) => addNodeLifecycleController(manager, nodeLifecycle),
  },
  'persistentvolume-attach-detach-controller': { account: ATTACH_DETACH, add: addAttachDetachController },
  'persistentvolume-binder-controller': { account: VOLUME_BINDER, add: addVolumeBinder },
  'persistentvolume-protection-controller': { account: VOLUME_PROTECTION, add: addVolumeProtection },
  'persistentvolumeclaim-protection-controller': { account: CLAIM_PROTECTION, add: addClaimProtection },
  'pod-garbage-collector-controller': {
    account: POD_GARBAGE_COLLECTOR,
    add: (manager, _transport, { podGarbageCollector }) =>
      addPodGarbageCollector(manager, podGarbageCollector),
  },
  'replicaset-controller': { account: REPLICASET_CONTROLLER, add: addReplicaSetController },
  'resourcequota-controller': { account: RESOURCE_QUOTA_CONTROLLER, add: addResourceQuotaController },
  'root-ca-certificate-publisher-controller': {
    account: ROOT_CA_PUBLISHER,
    add: (manager, _transport, { rootCa = '' }) => addRootCaPublisher(manager, { rootCa }),
  },
  'serviceaccount-controller': { account: SERVICE_ACCOUNT_CONTROLLER, add: addServiceAccountController },
  'statefulset-controller': { account: STATEFULSET_CONTROLLER, add: addStatefulSetController },
  'ttl-after-finished-controller': {
    account: TTL_AFTER_FINISHED_CONTROLLER,
    add: addTtlAfterFinishedController,
  },
  'taint-eviction-controller': { account: NODE_CONTROLLER, add: addTaintEvictionController },
};

/** All that a cluster has. */
export const CONTROLLER_NAMES = Object.keys(CONTROLLERS) as readonly ControllerName[];

/**
 * Runs the controllers that every cluster has, as kube-controller-manager does: they share one cache, which reads as
 * `system:kube-controller-manager`, and each writes under its own service account.
 *
 * @example `startControllers({ connect: (user) => server.transport(user), signal })`
 */
export function startControllers(options: PartEnvironment & ControllersOptions): RunningPart {
  const { manager, connect } = partManager(options, { user: MANAGER_USER, program: PROGRAM });
  const more = (options.controllers ?? CONTROLLER_NAMES).map((name) => {
    const { account, add } = CONTROLLERS[name];
    const transport = connect(controllerUser(account));
    return add(manager.as(createClient(transport)), transport, options);
  });
  const { signal } = options;
  const ended = manager.start(signal);
  const synced = [manager.cache.waitForSync(signal), ...more.map(async (one) => one?.waitForSync(signal))];
  return { ready: Promise.all(synced).then(() => undefined), ended };
}

/** Who owns the fields that controllers write. */
const PROGRAM = `kube-controller-manager/${KUBERNETES_VERSION}`;

/** As whom the shared cache reads. */
const MANAGER_USER: UserInfo = {
  username: 'system:kube-controller-manager',
  groups: ['system:authenticated'],
};

/** A service account of `kube-system`, as it is authenticated. */
function controllerUser(account: string): UserInfo {
  return {
    username: `system:serviceaccount:kube-system:${account}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
}
