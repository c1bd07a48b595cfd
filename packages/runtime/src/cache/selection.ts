import { getOwn, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';
import { matchesLabels, parseFieldSelector, parseLabelSelector } from '@kubewright/kube/selectors';

/** Selects objects of a kind; all fields have to match. */
export type Selection = {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
};

/** Whether an object matches. A field selector names a path in the object, as it does for most kinds. */
export function selects({
  namespace,
  labelSelector,
  fieldSelector,
}: Selection): (object: KubeObject) => boolean {
  const labels = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector ?? '');
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (labels === undefined || matchesLabels(labels, object.metadata.labels)) &&
    fields.every(({ field, operator, value }) => (fieldOf(object, field) === value) === (operator === '='));
}

function fieldOf(object: KubeObject, path: string): string {
  const value = path
    .split('.')
    .reduce<Json | undefined>((at, name) => (isJsonObject(at) ? getOwn(at, name) : undefined), object);
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
