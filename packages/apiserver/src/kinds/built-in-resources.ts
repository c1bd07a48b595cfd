import type { Catalogue } from '@kubewright/kube';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import { APPS } from './apps/declarations.ts';
import { API_SERVICE } from '../aggregation/api-service.ts';
import { CORE } from './core/declarations.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../crd/declaration.ts';
import { define } from './define.ts';
import { BATCH } from './batch/declarations.ts';
import { ADMISSION_REGISTRATION } from './admissionregistration/declarations.ts';
import { RBAC } from './rbac/declarations.ts';

/** Every built-in resource that the server serves, in the order of its groups in discovery. */
export function builtInResources(catalogue: Catalogue): readonly ResourceDefinition[] {
  return [
    API_SERVICE,
    ...CORE,
    ...APPS,
    ...BATCH,
    ...RBAC,
    ...ADMISSION_REGISTRATION,
    CUSTOM_RESOURCE_DEFINITIONS,
  ].map((declared) => define(declared, catalogue));
}
