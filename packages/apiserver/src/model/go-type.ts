import type { ResourceDefinition } from './resource-definition.ts';

/** A kind as messages of a real server name the Go type that it decodes to: `core.Pod`, `rbac.Role`. */
export function goType({
  group,
  kind,
  builtIn,
}: Pick<ResourceDefinition, 'group' | 'kind' | 'builtIn'>): string {
  if (!builtIn) return 'unstructured.Unstructured';
  return `${group === '' ? 'core' : group.split('.', 1)[0]}.${kind}`;
}
