import { on, type PolicyRule } from './policy-rule.ts';

const READ = ['get', 'list', 'watch'];
const READ_UPDATE = [...READ, 'patch', 'update'];
const CORE = [''];
const STORAGE = ['storage.k8s.io'];
const LEASES = ['coordination.k8s.io'];
const DEVICES = ['resource.k8s.io'];

/** What the user `system:kube-scheduler` may do, by role: facts of `bootstrappolicy` of Kubernetes 1.36. */
export const SCHEDULER_ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  'system:kube-scheduler': [
    on(['', 'events.k8s.io'], 'events', ['create', 'patch', 'update']),
    on(LEASES, 'leases', ['create']),
    { ...on(LEASES, 'leases', ['get', 'list', 'update', 'watch']), resourceNames: ['kube-scheduler'] },
    on(LEASES, 'leasecandidates', [
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ]),
    on(CORE, 'nodes', READ),
    on(CORE, 'pods', ['delete', ...READ]),
    on(CORE, 'bindings pods/binding', ['create']),
    on(CORE, 'pods/status', ['patch', 'update']),
    on(CORE, 'replicationcontrollers services', READ),
    on(['apps', 'extensions'], 'replicasets', READ),
    on(['apps'], 'statefulsets', READ),
    on(['policy'], 'poddisruptionbudgets', READ),
    on(CORE, 'persistentvolumeclaims persistentvolumes', READ),
    on(['authentication.k8s.io'], 'tokenreviews', ['create']),
    on(['authorization.k8s.io'], 'subjectaccessreviews', ['create']),
    on(STORAGE, 'csinodes', READ),
    on(STORAGE, 'volumeattachments', READ),
    on(CORE, 'namespaces', READ),
    on(STORAGE, 'csidrivers', READ),
    on(STORAGE, 'csistoragecapacities', READ),
    on(DEVICES, 'deviceclasses', READ),
    on(DEVICES, 'resourceclaims', READ_UPDATE),
    on(DEVICES, 'resourceclaims/status', READ_UPDATE),
    on(CORE, 'pods/finalizers', ['update']),
    on(DEVICES, 'resourceslices', READ),
    on(DEVICES, 'resourceclaims', ['create', 'delete']),
    on(DEVICES, 'resourceclaims/binding', ['patch', 'update']),
  ],
  'system:volume-scheduler': [
    on(CORE, 'persistentvolumes', READ_UPDATE),
    on(STORAGE, 'storageclasses', READ),
    on(CORE, 'persistentvolumeclaims', READ_UPDATE),
  ],
};
