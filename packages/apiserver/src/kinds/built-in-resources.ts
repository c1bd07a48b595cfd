import type { Catalogue } from '@kubewright/kube/schema';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { APPS_RESOURCES } from './apps/apps-resources.ts';
import { API_SERVICE } from './apiregistration/api-service.ts';
import { CORE_RESOURCES } from './core/core-resources.ts';
import { BINDINGS } from './core/pod-binding.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../crd/custom-resource-definitions.ts';
import { CERTIFICATE_RESOURCES } from './certificates/certificate-resources.ts';
import { define } from './define.ts';
import type { Declaration } from '../model/declaration.ts';
import { BATCH_RESOURCES } from './batch/batch-resources.ts';
import { ADMISSION_REGISTRATION_RESOURCES } from './admissionregistration/admission-registration-resources.ts';
import { AUTHENTICATION_REVIEWS } from './authentication/authentication-reviews.ts';
import { AUTHORIZATION_REVIEWS } from './authorization/authorization-reviews.ts';
import { AUTOSCALING_RESOURCES } from './autoscaling/autoscaling-resources.ts';
import { DISCOVERY_RESOURCES } from './discovery/discovery-resources.ts';
import { NETWORKING_RESOURCES } from './networking/networking-resources.ts';
import { POLICY_RESOURCES } from './policy/policy-resources.ts';
import { RBAC_RESOURCES } from './rbac/rbac-resources.ts';
import { SCHEDULING_RESOURCES } from './scheduling/scheduling-resources.ts';
import { STORAGE_RESOURCES } from './storage/storage-resources.ts';

/** Every built-in resource that the server serves, in the order of its groups in discovery. */
export function builtInResources(catalogue: Catalogue): readonly ResourceDefinition[] {
  return DECLARED.map((declared) => define(declared, catalogue));
}

const DECLARED: readonly Declaration[] = [
  BINDINGS,
  API_SERVICE,
  ...CORE_RESOURCES,
  ...APPS_RESOURCES,
  ...AUTOSCALING_RESOURCES,
  ...BATCH_RESOURCES,
  ...CERTIFICATE_RESOURCES,
  ...DISCOVERY_RESOURCES,
  ...NETWORKING_RESOURCES,
  ...POLICY_RESOURCES,
  ...RBAC_RESOURCES,
  ...SCHEDULING_RESOURCES,
  ...STORAGE_RESOURCES,
  ...ADMISSION_REGISTRATION_RESOURCES,
  CUSTOM_RESOURCE_DEFINITIONS,
  ...AUTHENTICATION_REVIEWS,
  ...AUTHORIZATION_REVIEWS,
];
