import { addAmounts, type Amounts, countedBy, evaluatorFor, type GroupResource } from '@kubewright/apiserver';
import type { corev1, KubeObject, Stored } from '@kubewright/kube';
import { limitsOf } from './decide.ts';

/** All objects of one resource in the quota's namespace. */
export type Counted = GroupResource & { readonly objects: readonly KubeObject[] };

/** What the objects take of a quota's limits, `0` where they take nothing. Pure; `now` in milliseconds. */
export function countUsage(
  quota: Stored<corev1.ResourceQuota>,
  all: readonly Counted[],
  now: number,
): Amounts {
  const names = [...limitsOf(quota).keys()];
  let used: Amounts = new Map();
  for (const { group, resource, objects } of all) {
    const evaluator = evaluatorFor(group, resource);
    if (evaluator === undefined) continue;
    used = addAmounts(used, new Map(evaluator.matching(names).map((name) => [name, '0'])));
    for (const object of objects)
      used = addAmounts(used, countedBy(quota, names, { evaluator, object, now }));
  }
  return used;
}
