import type { Catalogue } from '@kubewright/kube/schema';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { APPS } from './apps/declarations.ts';
import { API_SERVICE } from './apiregistration/api-service.ts';
import { CORE } from './core/declarations.ts';
import { bindings, withBinding } from './core/pod-binding.ts';
import { withEviction } from './core/pod-eviction.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../crd/declaration.ts';
import { type Declaration, define } from './define.ts';
import { BATCH } from './batch/declarations.ts';
import { ADMISSION_REGISTRATION } from './admissionregistration/declarations.ts';
import { AUTOSCALING } from './autoscaling/declarations.ts';
import { DISCOVERY } from './discovery/declarations.ts';
import { NETWORKING } from './networking/declarations.ts';
import { POLICY } from './policy/declarations.ts';
import { RBAC } from './rbac/declarations.ts';
import { SCHEDULING } from './scheduling/declarations.ts';
import { STORAGE } from './storage/declarations.ts';

/** Every built-in resource that the server serves, in the order of its groups in discovery. */
export function builtInResources(catalogue: Catalogue): readonly ResourceDefinition[] {
  const stored = DECLARED.map((declared) =>
    withEviction(withBinding(define(declared, catalogue), catalogue), catalogue),
  );
  return [bindings('bindings', catalogue), ...stored];
}

const DECLARED: readonly Declaration[] = [
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
];
