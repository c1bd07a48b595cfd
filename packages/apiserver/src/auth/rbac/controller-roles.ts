import { on, type PolicyRule } from './policy-rule.ts';

/** Names in one text, the core group as `core`. */
function may(verbs: string, resources: string, groups = 'core'): PolicyRule {
  const named = groups.split(' ').map((group) => (group === 'core' ? '' : group));
  return on(named, resources, verbs.split(' '));
}

const EVENTS = may('create patch update', 'events', 'core events.k8s.io');

/**
 * Controllers of the cluster that act under service accounts of `kube-system`, and what each may do: facts of
 * `bootstrappolicy` of Kubernetes 1.36.
 */
export const CONTROLLER_ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  'attachdetach-controller': [
    may('list watch', 'persistentvolumeclaims persistentvolumes'),
    may('get list watch', 'nodes'),
    may('patch update', 'nodes/status'),
    may('list watch', 'pods'),
    EVENTS,
    may('create delete get list watch', 'volumeattachments', 'storage.k8s.io'),
    may('get list watch', 'csidrivers csinodes', 'storage.k8s.io'),
  ],
  'cronjob-controller': [
    may('get list update watch', 'cronjobs', 'batch'),
    may('create delete get list patch update watch', 'jobs', 'batch'),
    may('update', 'cronjobs/status', 'batch'),
    may('update', 'cronjobs/finalizers', 'batch'),
    may('delete list watch', 'pods'),
    EVENTS,
  ],
  'daemon-set-controller': [
    may('get list watch', 'daemonsets', 'apps extensions'),
    may('update', 'daemonsets/status', 'apps extensions'),
    may('update', 'daemonsets/finalizers', 'apps extensions'),
    may('list watch', 'nodes'),
    may('create delete list patch watch', 'pods'),
    may('create', 'pods/binding'),
    may('create delete get list patch update watch', 'controllerrevisions', 'apps'),
    EVENTS,
  ],
  'deployment-controller': [
    may('get list update watch', 'deployments', 'apps extensions'),
    may('update', 'deployments/status', 'apps extensions'),
    may('update', 'deployments/finalizers', 'apps extensions'),
    may('create delete get list patch update watch', 'replicasets', 'apps extensions'),
    may('get list update watch', 'pods'),
    EVENTS,
  ],
  'disruption-controller': [
    may('get list watch', 'deployments', 'apps extensions'),
    may('get list watch', 'replicasets', 'apps extensions'),
    may('get list watch', 'replicationcontrollers'),
    may('get list watch', 'poddisruptionbudgets', 'policy'),
    may('get list watch', 'statefulsets', 'apps'),
    may('update', 'poddisruptionbudgets/status', 'policy'),
    may('patch update', 'pods/status'),
    may('get', '*/scale', '*'),
    EVENTS,
  ],
  'endpoint-controller': [
    may('get list watch', 'pods services'),
    may('create delete get list update watch', 'endpoints'),
    may('create', 'endpoints/restricted'),
    EVENTS,
  ],
  'endpointslice-controller': [
    may('get list watch', 'nodes pods services'),
    may('update', 'services/finalizers'),
    may('create delete get list update watch', 'endpointslices', 'discovery.k8s.io'),
    EVENTS,
  ],
  'endpointslicemirroring-controller': [
    may('get list watch', 'endpoints services'),
    may('update', 'services/finalizers'),
    may('update', 'endpoints/finalizers'),
    may('create delete get list update watch', 'endpointslices', 'discovery.k8s.io'),
    EVENTS,
  ],
  'ephemeral-volume-controller': [
    may('get list watch', 'pods'),
    may('update', 'pods/finalizers'),
    may('create get list watch', 'persistentvolumeclaims'),
    EVENTS,
  ],
  'expand-controller': [
    may('get list patch update watch', 'persistentvolumes'),
    may('patch update', 'persistentvolumeclaims/status'),
    may('get list watch', 'persistentvolumeclaims'),
    EVENTS,
  ],
  'generic-garbage-collector': [may('delete get list patch update watch', '*', '*'), EVENTS],
  'horizontal-pod-autoscaler': [
    may('get list watch', 'horizontalpodautoscalers', 'autoscaling'),
    may('update', 'horizontalpodautoscalers/status', 'autoscaling'),
    may('get update', '*/scale', '*'),
    may('list watch', 'pods'),
    may('list watch', 'pods', 'metrics.k8s.io'),
    may('get list watch', '*', 'custom.metrics.k8s.io'),
    may('get list watch', '*', 'external.metrics.k8s.io'),
    EVENTS,
  ],
  'job-controller': [
    may('get list patch update watch', 'jobs', 'batch'),
    may('update', 'jobs/status', 'batch'),
    may('update', 'jobs/finalizers', 'batch'),
    may('create delete list patch watch', 'pods'),
    EVENTS,
  ],
  'namespace-controller': [
    may('delete get list watch', 'namespaces'),
    may('update', 'namespaces/finalize namespaces/status'),
    may('delete deletecollection get list watch', '*', '*'),
  ],
  'node-controller': [
    may('delete get list patch update watch', 'nodes'),
    may('patch update', 'nodes/status'),
    may('patch update', 'pods/status'),
    may('delete get list watch', 'pods'),
    EVENTS,
  ],
  'persistent-volume-binder': [
    may('create delete get list update watch', 'persistentvolumes'),
    may('update', 'persistentvolumes/status'),
    may('get list update watch', 'persistentvolumeclaims'),
    may('update', 'persistentvolumeclaims/status'),
    may('create delete get list watch', 'pods'),
    may('get list watch', 'storageclasses', 'storage.k8s.io'),
    may('list watch', 'nodes'),
    EVENTS,
    may('watch', 'events'),
  ],
  'pod-garbage-collector': [
    may('delete list watch', 'pods'),
    may('get list watch', 'nodes'),
    may('patch', 'pods/status'),
  ],
  'pv-protection-controller': [may('get list update watch', 'persistentvolumes'), EVENTS],
  'pvc-protection-controller': [
    may('get list update watch', 'persistentvolumeclaims'),
    may('update', 'persistentvolumeclaims/status'),
    may('get list watch', 'pods'),
    EVENTS,
  ],
  'replicaset-controller': [
    may('get list update watch', 'replicasets', 'apps extensions'),
    may('update', 'replicasets/status', 'apps extensions'),
    may('update', 'replicasets/finalizers', 'apps extensions'),
    may('create delete list patch watch', 'pods'),
    EVENTS,
  ],
  'replication-controller': [
    may('get list update watch', 'replicationcontrollers'),
    may('update', 'replicationcontrollers/status'),
    may('update', 'replicationcontrollers/finalizers'),
    may('create delete list patch watch', 'pods'),
    EVENTS,
  ],
  'resourcequota-controller': [may('list watch', '*', '*'), may('update', 'resourcequotas/status'), EVENTS],
  'root-ca-cert-publisher': [may('create update', 'configmaps'), EVENTS],
  'service-account-controller': [may('create', 'serviceaccounts'), EVENTS],
  'statefulset-controller': [
    may('list watch', 'pods'),
    may('get list watch', 'statefulsets', 'apps'),
    may('update', 'statefulsets/status', 'apps'),
    may('update', 'statefulsets/finalizers', 'apps'),
    may('create delete get patch update', 'pods'),
    may('create delete get list patch update watch', 'controllerrevisions', 'apps'),
    may('create get list watch', 'persistentvolumeclaims'),
    may('delete update', 'persistentvolumeclaims'),
    may('update', 'pods/finalizers'),
    EVENTS,
  ],
  'ttl-after-finished-controller': [may('delete get list watch', 'jobs', 'batch'), EVENTS],
};

/** What controllers share: a cache of everything, and accounts made for them. */
export const CONTROLLER_MANAGER_ROLE: readonly PolicyRule[] = [
  EVENTS,
  may('create', 'leases', 'coordination.k8s.io'),
  {
    ...may('get update', 'leases', 'coordination.k8s.io'),
    resourceNames: ['kube-controller-manager'],
  },
  may('create', 'secrets serviceaccounts'),
  may('delete', 'secrets'),
  may('get', 'configmaps namespaces secrets serviceaccounts'),
  may('update', 'secrets serviceaccounts'),
  may('create', 'tokenreviews', 'authentication.k8s.io'),
  may('create', 'subjectaccessreviews', 'authorization.k8s.io'),
  may('list watch', '*', '*'),
  may('create', 'serviceaccounts/token'),
];
