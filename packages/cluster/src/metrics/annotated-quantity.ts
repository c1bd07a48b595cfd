import { getOwn, type KubeObject } from '@kubewright/kube';
import { canonicalQuantity } from '@kubewright/kube/quantity';

/**
 * Prefix of the annotations by which objects say what is measured of them: `metrics.kubewright.dev/cpu: 250m` and
 * `…/memory` of a pod, `…/custom.NAME` of any object, `…/external.NAME` of a namespace for metrics from outside.
 */
const METRICS_PREFIX = 'metrics.kubewright.dev/';

/** A quantity; undefined where nothing, or nothing that is one, is said. */
export function annotatedQuantity({ metadata }: KubeObject, name: string): string | undefined {
  const text = getOwn(metadata.annotations ?? {}, `${METRICS_PREFIX}${name}`);
  if (typeof text !== 'string') return undefined;
  try {
    return canonicalQuantity(text);
  } catch {
    return undefined;
  }
}
