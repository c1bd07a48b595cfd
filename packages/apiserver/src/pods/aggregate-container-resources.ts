import type { JsonObject } from '@kubewright/kube';
import { addQuantity, compareQuantity, formatQuantity, parseQuantity } from '@kubewright/kube/quantity';
import { objectAt, objectsAt, stringAt } from '../objects/read.ts';

/** Amounts by resource name. */
export type Amounts = Readonly<Record<string, string>>;

/**
 * What a pod's containers request together (`resourcehelper.AggregateContainerRequests`): the containers and
 * sidecars run at once; an init container runs beside the sidecars started before it.
 */
export function aggregateContainerResources(spec: JsonObject, which: 'requests' | 'limits'): Amounts {
  const main = sum(objectsAt(spec, 'containers').map((container) => amountsOf(container, which)));
  let sidecars: Amounts = {};
  let starting: Amounts = {};
  for (const container of objectsAt(spec, 'initContainers')) {
    const own = amountsOf(container, which);
    if (stringAt(container, 'restartPolicy') === 'Always') {
      sidecars = sum([sidecars, own]);
      starting = max(starting, sidecars);
    } else {
      starting = max(starting, sum([sidecars, own]));
    }
  }
  return max(sum([main, sidecars]), starting);
}

function amountsOf(container: JsonObject, which: string): Amounts {
  return objectAt(container, 'resources', which) as Amounts;
}

function sum(all: readonly Amounts[]): Amounts {
  const total: Record<string, string> = {};
  for (const [name, amount] of all.flatMap((amounts) => Object.entries(amounts))) {
    const before = Object.hasOwn(total, name) ? (total[name] ?? '0') : undefined;
    total[name] = before === undefined ? amount : add(before, amount);
  }
  return total;
}

function add(a: string, b: string): string {
  return formatQuantity(addQuantity(parseQuantity(a), parseQuantity(b)));
}

function max(a: Amounts, b: Amounts): Amounts {
  const result: Record<string, string> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    if (!Object.hasOwn(result, name) || compareQuantity(amount, result[name] ?? '0') > 0)
      result[name] = amount;
  }
  return result;
}
