import { getOwn, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';
import { matchesLabels, parseFieldSelector, parseLabelSelector } from '@kubewright/kube/selectors';

/** Which objects of a kind are meant; all that is said has to hold. */
export type Selection = {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
};

/** Whether a selection holds an object. A field selector is taken by its path, as it is of most kinds. */
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
