import type { Json, JsonObject } from '@kubewright/kube';
import { maybeObject, objectAt, stringAt } from '../objects/read.ts';
import { withField } from '../objects/change-object.ts';
import { aggregateContainerResources } from './aggregate-container-resources.ts';

/** Pod-level resources (KEP-2837): the requests of a pod as a whole follow from its limits and its containers. */
export function defaultPodResources(spec: JsonObject): JsonObject {
  const resources = maybeObject(spec, 'resources');
  if (resources === undefined) return spec;
  return withField(spec, 'resources', podRequests(spec, podHugePageLimits(spec, resources)));
}

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isOvercommitted = (name: string): boolean => name === 'cpu' || name === 'memory';
const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

function podHugePageLimits(spec: JsonObject, resources: JsonObject): JsonObject {
  const [limits, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  if (Object.keys(limits).length + Object.keys(requests).length === 0) return resources;
  const added = Object.entries(aggregateContainerResources(spec, 'limits')).filter(
    ([name]) => isHugePages(name) && !Object.hasOwn(requests, name) && !Object.hasOwn(limits, name),
  );
  const completed: JsonObject = { ...limits, ...Object.fromEntries(added) };
  return Object.keys(completed).length > 0 ? withField(resources, 'limits', completed) : resources;
}

function podRequests(spec: JsonObject, resources: JsonObject): JsonObject {
  const limits = objectAt(resources, 'limits');
  if (Object.keys(limits).length === 0) return resources;
  const requests: Record<string, Json> = { ...objectAt(resources, 'requests') };
  for (const [name, amount] of Object.entries(aggregateContainerResources(spec, 'requests'))) {
    if (isOvercommitted(name) && !Object.hasOwn(requests, name)) requests[name] = amount;
  }
  for (const name of Object.keys(limits)) {
    if (isPodLevel(name) && !Object.hasOwn(requests, name)) requests[name] = stringAt(limits, name);
  }
  return Object.keys(requests).length > 0 ? withField(resources, 'requests', requests) : resources;
}
