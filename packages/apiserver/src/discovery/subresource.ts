import { compareText } from '@kubewright/kube';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { verbsOf } from '../model/connection.ts';

/** A subresource, as discovery shows it. */
export type Subresource = {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
};

const WHOLE = ['get', 'patch', 'update'];

/** The subresources of a resource, by name. */
export function subresourcesOf(definition: ResourceDefinition): Subresource[] {
  const own = { group: definition.group, version: definition.version, kind: definition.kind };
  const found: Subresource[] = Object.keys(definition.subresources ?? {}).map((name) => ({
    ...own,
    name,
    verbs: name === 'finalize' ? ['update'] : WHOLE,
  }));
  for (const [name, { group, version, kind, verbs }] of Object.entries(definition.createSubresources ?? {})) {
    found.push({ name, group, version, kind, verbs });
  }
  for (const [name, connection] of Object.entries(definition.connections ?? {})) {
    found.push({ ...own, name, kind: connection.kind, verbs: verbsOf(connection) });
  }
  if (definition.status !== undefined) found.push({ ...own, name: 'status', verbs: WHOLE });
  if (definition.scale !== undefined) {
    found.push({ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: WHOLE });
  }
  return definition.builtIn ? found.sort((a, b) => compareText(a.name, b.name)) : found;
}

/** Whether {@link subresourcesOf} names it: checked for each request to one. */
export function hasSubresource(definition: ResourceDefinition, name: string): boolean {
  const { subresources = {}, createSubresources = {}, connections = {}, status, scale } = definition;
  if ([subresources, createSubresources, connections].some((named) => Object.hasOwn(named, name)))
    return true;
  return (name === 'status' && status !== undefined) || (name === 'scale' && scale !== undefined);
}
