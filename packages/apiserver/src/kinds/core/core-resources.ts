import type { Selectable, Declaration } from '../../model/declaration.ts';
import { service, serviceStatus } from '../service/service.ts';
import { bodyOf, specOf, statusOf, stringAt, isTrue, objectsAt } from '../../objects/read.ts';
import { TOKEN_REQUEST } from '../authentication/token-request.ts';
import { EVICTION } from '../policy/eviction.ts';
import { POD_BINDING } from './pod-binding.ts';
import { configMap } from './config-map.ts';
import { endpoints } from './endpoints.ts';
import { coreEvent, coreEventFields, event, eventFields } from './event.ts';
import { fromCoreEvent, toCoreEvent } from './event-views.ts';
import { lease } from './lease.ts';
import { limitRange } from './limit-range.ts';
import { namespace, namespaceFinalize, namespaceStatus } from './namespace.ts';
import { node, nodeStatus } from './node.ts';
import { resourceQuota, resourceQuotaStatus } from './resource-quota.ts';
import { secret } from './secret.ts';
import { serviceAccount } from './service-account.ts';
import { pod, podGracePeriod, podStatus } from './pod.ts';
import { ephemeralContainers } from './ephemeral-containers.ts';
import { resize } from './resize.ts';
import { podTemplate } from './pod-template.ts';
import { persistentVolume, persistentVolumeStatus } from './persistent-volume.ts';
import { persistentVolumeClaim, persistentVolumeClaimStatus } from './persistent-volume-claim.ts';
import { nameOf } from '../../objects/name-of.ts';

const podFields: Selectable = {
  'spec.nodeName': (object) => stringAt(specOf(object), 'nodeName'),
  'spec.restartPolicy': (object) => stringAt(specOf(object), 'restartPolicy'),
  'spec.schedulerName': (object) => stringAt(specOf(object), 'schedulerName'),
  'spec.serviceAccountName': (object) => stringAt(specOf(object), 'serviceAccountName'),
  'spec.hostNetwork': (object) => String(isTrue(specOf(object), 'hostNetwork')),
  'status.phase': (object) => stringAt(statusOf(object), 'phase'),
  'status.podIP': (object) => stringAt(objectsAt(statusOf(object), 'podIPs')[0] ?? {}, 'ip'),
  'status.nominatedNodeName': (object) => stringAt(statusOf(object), 'nominatedNodeName'),
};

/** The core group, and what belongs to it in other groups: Events and Leases. */
export const CORE_RESOURCES: readonly Declaration[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', resource: 'configmaps', short: ['cm'], strategy: configMap },
  {
    apiVersion: 'v1',
    kind: 'Endpoints',
    resource: 'endpoints',
    short: ['ep'],
    strategy: endpoints,
    rest: {
      createOnUpdate: true,
      deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    resource: 'events',
    short: ['ev'],
    strategy: coreEvent,
    rest: {
      selectableFields: coreEventFields,
      createOnUpdate: true,
      defaultPropagation: 'Unsupported',
    },
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    resource: 'limitranges',
    short: ['limits'],
    strategy: limitRange,
    rest: { createOnUpdate: true },
  },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    resource: 'namespaces',
    short: ['ns'],
    namespaced: false,
    strategy: namespace,
    status: namespaceStatus,
    rest: {
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
      returnsDeleted: true,
      subresources: { finalize: namespaceFinalize },
      selectableFields: {
        name: nameOf,
        'status.phase': (object) => stringAt(statusOf(object), 'phase'),
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    resource: 'nodes',
    short: ['no'],
    namespaced: false,
    strategy: node,
    status: nodeStatus,
    rest: {
      selectableFields: {
        'spec.unschedulable': (object) => String(isTrue(specOf(object), 'unschedulable')),
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    resource: 'persistentvolumes',
    short: ['pv'],
    namespaced: false,
    strategy: persistentVolume,
    status: persistentVolumeStatus,
    rest: {
      returnsDeleted: true,
      selectableFields: { name: nameOf },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    resource: 'persistentvolumeclaims',
    short: ['pvc'],
    strategy: persistentVolumeClaim,
    status: persistentVolumeClaimStatus,
    rest: { returnsDeleted: true },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    resource: 'pods',
    short: ['po'],
    categories: ['all'],
    strategy: pod,
    status: podStatus,
    createSubresources: { binding: POD_BINDING, eviction: EVICTION },
    rest: {
      returnsDeleted: true,
      gracePeriod: podGracePeriod,
      subresources: { ephemeralcontainers: ephemeralContainers, resize },
      selectableFields: podFields,
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    resource: 'podtemplates',
    strategy: podTemplate,
    rest: { returnsDeleted: true },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    resource: 'resourcequotas',
    short: ['quota'],
    strategy: resourceQuota,
    status: resourceQuotaStatus,
    rest: { returnsDeleted: true },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    resource: 'secrets',
    strategy: secret,
    rest: { selectableFields: { type: (object) => stringAt(bodyOf(object), 'type') } },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    resource: 'services',
    short: ['svc'],
    categories: ['all'],
    strategy: service,
    status: serviceStatus,
    rest: {
      createOnUpdate: true,
      returnsDeleted: true,
      selectableFields: {
        'spec.clusterIP': (object) => stringAt(specOf(object), 'clusterIP'),
        'spec.type': (object) => stringAt(specOf(object), 'type'),
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    resource: 'serviceaccounts',
    short: ['sa'],
    strategy: serviceAccount,
    createSubresources: { token: TOKEN_REQUEST },
    rest: { returnsDeleted: true },
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    resource: 'leases',
    strategy: lease,
    rest: { createOnUpdate: true },
  },
  {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    resource: 'events',
    short: ['ev'],
    strategy: event,
    rest: {
      storageGroup: '',
      storageVersion: 'v1',
      fromOther: fromCoreEvent,
      toStorage: toCoreEvent,
      selectableFields: eventFields,
      createOnUpdate: true,
      defaultPropagation: 'Unsupported',
    },
  },
];
