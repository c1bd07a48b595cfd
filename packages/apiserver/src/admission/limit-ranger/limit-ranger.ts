import type { KubeObject } from '@kubewright/kube';
import { specOf } from '../../objects/read.ts';
import type { Store } from '../../storage/store.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { aggregated, newForbidden } from '../new-forbidden.ts';
import { checkLimits } from './check-limits.ts';
import { withDefaultResources } from './with-default-resources.ts';

/**
 * Applies the LimitRanges of a namespace to its pods and claims: defaults for containers without requests or limits, and
 * minima and maxima. https://kubernetes.io/docs/concepts/policy/limit-range/
 */
export function limitRanger(store: Store): AdmissionPlugin {
  const ranges = store.collection('', 'limitranges');
  const rangesFor = (attributes: AdmissionAttributes): readonly KubeObject[] =>
    ranges.entries.length > 0 && isLimited(attributes)
      ? ranges.inNamespace(attributes.request.namespace).map(({ object }) => object)
      : [];
  return {
    mutate(attributes) {
      if (attributes.kind.kind !== 'Pod') return attributes.object;
      return rangesFor(attributes).reduce(withDefaultResources, attributes.object);
    },
    validate(attributes) {
      const { object, kind } = attributes;
      if (object === undefined) return;
      for (const range of rangesFor(attributes)) {
        const faults = checkLimits(kind.kind, specOf(range), specOf(object));
        if (faults.length > 0) throw newForbidden(attributes, aggregated(faults));
      }
    },
  };
}

/** Pods when they are created and resized, claims at each write; nothing that is being deleted. */
function isLimited({ kind, operation, request, oldObject }: AdmissionAttributes): boolean {
  if (kind.group !== '' || oldObject?.metadata.deletionTimestamp !== undefined) return false;
  if (kind.kind === 'Pod') return request.subresource === (operation === 'CREATE' ? '' : 'resize');
  return kind.kind === 'PersistentVolumeClaim' && request.subresource === '';
}
