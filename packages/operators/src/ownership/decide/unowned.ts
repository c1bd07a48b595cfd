import type { KubeObject } from '@kubewright/kube';
import { getPath, type Path } from '@kubewright/kube/fields';
import { readManagedFields } from '../read-managed-fields.ts';
import { mentions } from './removals-of.ts';

/** The paths of what an object has and nobody owns. */
export function unowned(paths: readonly Path[], object: KubeObject): readonly Path[] {
  const { claims } = paths.length === 0 ? { claims: [] } : readManagedFields(object);
  return paths.filter(
    (path) => getPath(object, path) !== undefined && !claims.some(({ set }) => mentions(set, path)),
  );
}
