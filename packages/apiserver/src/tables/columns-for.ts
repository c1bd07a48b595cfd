import type { TableColumn } from '../model/resource-definition.ts';
import {
  admissionPolicyBindingColumns,
  admissionPolicyColumns,
  webhookConfigurationColumns,
} from './admission-policy-columns.ts';
import { apiServiceColumns } from './api-service-columns.ts';
import { autoscalerColumns } from './autoscaler-columns.ts';
import { certificateSigningRequestColumns } from './certificate-signing-request-columns.ts';
import { createdAtColumn, nameColumn } from './column.ts';
import {
  bindingColumns,
  configMapColumns,
  leaseColumns,
  namespaceColumns,
  resourceQuotaColumns,
  secretColumns,
  serviceAccountColumns,
} from './core-columns.ts';
import { eventColumns } from './event-columns.ts';
import { ingressClassColumns, ingressColumns, networkPolicyColumns } from './networking-columns.ts';
import { nodeColumns } from './node-columns.ts';
import { podColumns } from './pod-columns.ts';
import {
  endpointSliceColumns,
  endpointsColumns,
  podDisruptionBudgetColumns,
  priorityClassColumns,
  runtimeClassColumns,
} from './scheduling-columns.ts';
import { serviceColumns } from './service-columns.ts';
import {
  csiDriverColumns,
  csiNodeColumns,
  csiStorageCapacityColumns,
  storageClassColumns,
  volumeAttachmentColumns,
  volumeAttributesClassColumns,
} from './storage-columns.ts';
import { claimColumns, volumeColumns } from './volume-columns.ts';
import {
  controllerRevisionColumns,
  cronJobColumns,
  daemonSetColumns,
  deploymentColumns,
  jobColumns,
  podTemplateColumns,
  replicaSetColumns,
  statefulSetColumns,
} from './workload-columns.ts';

const columns: ReadonlyMap<string, readonly TableColumn[]> = new Map([
  ['apiregistration.k8s.io/APIService', apiServiceColumns],
  ['/Namespace', namespaceColumns],
  ['/ConfigMap', configMapColumns],
  ['/Secret', secretColumns],
  ['/ResourceQuota', resourceQuotaColumns],
  ['/Service', serviceColumns],
  ['/ServiceAccount', serviceAccountColumns],
  ['/Endpoints', endpointsColumns],
  ['/Event', eventColumns],
  ['/Node', nodeColumns],
  ['/Pod', podColumns],
  ['/PodTemplate', podTemplateColumns],
  ['/PersistentVolume', volumeColumns],
  ['/PersistentVolumeClaim', claimColumns],
  ['autoscaling/HorizontalPodAutoscaler', autoscalerColumns],
  ['certificates.k8s.io/CertificateSigningRequest', certificateSigningRequestColumns],
  ['discovery.k8s.io/EndpointSlice', endpointSliceColumns],
  ['networking.k8s.io/Ingress', ingressColumns],
  ['networking.k8s.io/IngressClass', ingressClassColumns],
  ['networking.k8s.io/NetworkPolicy', networkPolicyColumns],
  ['node.k8s.io/RuntimeClass', runtimeClassColumns],
  ['policy/PodDisruptionBudget', podDisruptionBudgetColumns],
  ['scheduling.k8s.io/PriorityClass', priorityClassColumns],
  ['storage.k8s.io/CSIDriver', csiDriverColumns],
  ['storage.k8s.io/CSINode', csiNodeColumns],
  ['storage.k8s.io/CSIStorageCapacity', csiStorageCapacityColumns],
  ['storage.k8s.io/StorageClass', storageClassColumns],
  ['storage.k8s.io/VolumeAttachment', volumeAttachmentColumns],
  ['storage.k8s.io/VolumeAttributesClass', volumeAttributesClassColumns],
  ['events.k8s.io/Event', eventColumns],
  ['coordination.k8s.io/Lease', leaseColumns],
  ['apps/ControllerRevision', controllerRevisionColumns],
  ['apps/Deployment', deploymentColumns],
  ['apps/StatefulSet', statefulSetColumns],
  ['apps/DaemonSet', daemonSetColumns],
  ['apps/ReplicaSet', replicaSetColumns],
  ['batch/Job', jobColumns],
  ['batch/CronJob', cronJobColumns],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', webhookConfigurationColumns],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicy', admissionPolicyColumns],
  ['admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding', admissionPolicyBindingColumns],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', webhookConfigurationColumns],
  ['rbac.authorization.k8s.io/RoleBinding', bindingColumns],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', bindingColumns],
]);

const plain: readonly TableColumn[] = [nameColumn, createdAtColumn];

/** The columns that `kubectl get` shows of a built-in kind; name and creation time where it has none of its own. */
export function columnsFor(group: string, kind: string): readonly TableColumn[] {
  return columns.get(`${group}/${kind}`) ?? plain;
}
