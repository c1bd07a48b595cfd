import { defaultRoles } from '../auth/rbac/default-roles.ts';
import { RBAC_GROUP } from '../auth/rbac/rule-resolver.ts';
import type { Registry } from '../registry/registry.ts';
import type { Handler } from '../request/handled-request.ts';
import { createOwnObject } from './create-own-object.ts';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Creates the namespaces and, where they are served, the roles that every cluster has. */
export function createFirstObjects(handler: Handler, registry: Registry): void {
  for (const name of NAMESPACES) {
    createOwnObject(handler, '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
  }
  if (registry.versions(RBAC_GROUP, 'clusterroles').length === 0) return;
  for (const object of defaultRoles(registry)) {
    const resource = `${(object['kind'] as string).toLowerCase()}s`;
    const place = resource === 'roles' ? 'namespaces/kube-system/' : '';
    createOwnObject(handler, `/apis/${RBAC_GROUP}/v1/${place}${resource}`, object);
  }
}
