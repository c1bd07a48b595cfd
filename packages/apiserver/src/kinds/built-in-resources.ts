import type { Catalogue } from '@kubewright/kube/schema';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { APPS } from './apps/declarations.ts';
import { API_SERVICE } from './apiregistration/api-service.ts';
import { CORE } from './core/declarations.ts';
import { BINDINGS } from './core/binding.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../crd/declaration.ts';
import { define } from './define.ts';
import type { Declaration } from '../model/declaration.ts';
import { BATCH } from './batch/declarations.ts';
import { ADMISSION_REGISTRATION } from './admissionregistration/declarations.ts';
import { AUTHENTICATION_REVIEWS } from './authentication/authentication-reviews.ts';
import { AUTHORIZATION_REVIEWS } from './authorization/authorization-reviews.ts';
import { AUTOSCALING } from './autoscaling/declarations.ts';
import { DISCOVERY } from './discovery/declarations.ts';
import { NETWORKING } from './networking/declarations.ts';
import { POLICY } from './policy/declarations.ts';
import { RBAC } from './rbac/declarations.ts';
import { SCHEDULING } from './scheduling/declarations.ts';
import { STORAGE } from './storage/declarations.ts';

/** Every built-in resource that the server serves, in the order of its groups in discovery. */
export function builtInResources(catalogue: Catalogue): readonly ResourceDefinition[] {
  return DECLARED.map((declared) => define(declared, catalogue));
}

const DECLARED: readonly Declaration[] = [
  BINDINGS,
  API_SERVICE,
  ...CORE,
  ...APPS,
  ...AUTOSCALING,
  ...BATCH,
  ...DISCOVERY,
  ...NETWORKING,
  ...POLICY,
  ...RBAC,
  ...SCHEDULING,
  ...STORAGE,
  ...ADMISSION_REGISTRATION,
  CUSTOM_RESOURCE_DEFINITIONS,
  ...AUTHENTICATION_REVIEWS,
  ...AUTHORIZATION_REVIEWS,
];
