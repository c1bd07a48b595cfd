import type { JsonObject } from '@kubewright/kube';
import { objectsAt } from '../objects/read.ts';

/** Init, regular and ephemeral containers, in this order, with their paths below that of the spec. */
export function visitContainers<T>(
  spec: JsonObject,
  path: string,
  visit: (container: JsonObject, path: string) => readonly T[],
): readonly T[] {
  const prefix = path === '' ? '' : `${path}.`;
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) => visit(container, `${prefix}${list}[${index}]`)),
  );
}
