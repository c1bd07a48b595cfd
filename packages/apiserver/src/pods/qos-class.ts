import type { JsonObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { has, maybeString, objectAt, objectsAt } from '../objects/read.ts';
import { isPositive } from '../validation/quantities.ts';

const COMPUTE = ['cpu', 'memory'];

/** Quality of service: `Guaranteed` where every container requests its limits, `BestEffort` where none has requests. */
export function qosClass(spec: JsonObject): string {
  const parts = has(spec, 'resources')
    ? [objectAt(spec, 'resources')]
    : [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].map((container) =>
        objectAt(container, 'resources'),
      );
  if (!parts.some(asksForAnything)) return 'BestEffort';
  return parts.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

function asksForAnything(resources: JsonObject): boolean {
  return ['limits', 'requests'].some((which) =>
    COMPUTE.some((name) => {
      const amount = maybeString(objectAt(resources, which), name);
      return amount !== undefined && isPositive(amount);
    }),
  );
}

function isGuaranteed(resources: JsonObject): boolean {
  return COMPUTE.every((name) => {
    const limit = maybeString(objectAt(resources, 'limits'), name);
    const request = maybeString(objectAt(resources, 'requests'), name) ?? limit;
    return (
      limit !== undefined &&
      request !== undefined &&
      isPositive(limit) &&
      compareQuantity(limit, request) === 0
    );
  });
}
