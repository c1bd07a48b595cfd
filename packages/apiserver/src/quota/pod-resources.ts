import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { aggregateContainerResources } from '../pods/aggregate-container-resources.ts';
import { isHugePages } from '../pods/validate-resources.ts';
import { maybeObject, objectAt, objectsAt, specOf, statusOf, stringAt } from '../objects/read.ts';
import { inItems, withField } from '../objects/change-object.ts';
import { addAmounts, type Amounts, amountsIn, amountsOf } from './amounts.ts';

type Which = 'requests' | 'limits';

/**
 * What a pod takes with all of its containers (`resourcehelper.PodRequests`, `PodLimits`): what it requests or has
 * been given, whichever is more; its pod-level resources where it has them; with its overhead.
 */
export function podResources(pod: KubeObject, which: Which): Amounts {
  const spec = specOf(pod);
  const whole = amountsIn(objectAt(spec, 'resources', which));
  const ofContainers = amountsIn(aggregateContainerResources(withGiven(pod), which));
  const named = [...whole].filter(([name]) => name === 'cpu' || name === 'memory' || isHugePages(name));
  const total: Amounts = new Map([...ofContainers, ...named]);
  const overhead = amountsIn(objectAt(spec, 'overhead'));
  return addAmounts(total, which === 'requests' ? overhead : amountsOf(overhead, limited(total)));
}

function limited(limits: Amounts): readonly string[] {
  return [...limits].filter(([, amount]) => compareQuantity(amount, '0') !== 0).map(([name]) => name);
}

/** The spec, its containers with their actual resources where these differ. */
function withGiven(pod: KubeObject): JsonObject {
  const status = statusOf(pod);
  const statuses = [...objectsAt(status, 'containerStatuses'), ...objectsAt(status, 'initContainerStatuses')];
  if (!statuses.some((one) => maybeObject(one, 'resources') !== undefined)) return specOf(pod);
  const infeasible = objectsAt(status, 'conditions').some(
    (condition) =>
      stringAt(condition, 'type') === 'PodResizePending' && stringAt(condition, 'reason') === 'Infeasible',
  );
  const given = (container: JsonObject): JsonObject => {
    const own = statuses.find((one) => stringAt(one, 'name') === stringAt(container, 'name'));
    const actual = own === undefined ? undefined : maybeObject(own, 'resources');
    if (own === undefined || actual === undefined) return container;
    const requested = infeasible ? {} : objectAt(container, 'resources');
    const requests = [requested, actual].map((resources) => objectAt(resources, 'requests'));
    const limits = [requested, actual].map((resources) => objectAt(resources, 'limits'));
    const most = {
      requests: greatest([...requests, objectAt(own, 'allocatedResources')]),
      limits: greatest(limits),
    };
    return withField(container, 'resources', most);
  };
  const sidecars = inItems('initContainers', (container) =>
    stringAt(container, 'restartPolicy') === 'Always' ? given(container) : container,
  );
  return inItems('containers', given)(sidecars(specOf(pod)));
}

function greatest(lists: readonly JsonObject[]): JsonObject {
  const most = new Map<string, string>();
  for (const [name, amount] of lists.flatMap((list) => [...amountsIn(list)])) {
    const before = most.get(name);
    if (before === undefined || compareQuantity(amount, before) > 0) most.set(name, amount);
  }
  return Object.fromEntries<Json>(most);
}
