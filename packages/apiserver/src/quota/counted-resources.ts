import type { KubeObject } from '@kubewright/kube';
import { type Amounts, amountsOf } from './amounts.ts';
import { type Evaluator } from './evaluator.ts';
import { ALIASES, evaluatorFor } from './evaluator-for.ts';
import { scopesOf } from './scope-selector.ts';

export type GroupResource = { readonly group: string; readonly resource: string };

const COUNT = 'count/';
const OWN_NAMES = ['pods', 'services', 'persistentvolumeclaims', ...ALIASES];

/** The resources whose objects count against limits of these names. */
export function countedResources(names: readonly string[]): readonly GroupResource[] {
  const named = names.filter((name) => name.startsWith(COUNT)).map((name) => name.slice(COUNT.length));
  return [...new Set([...OWN_NAMES, ...named])]
    .map((name) => {
      const dot = name.indexOf('.');
      return dot < 0
        ? { group: '', resource: name }
        : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
    })
    .filter(({ group, resource }) => (evaluatorFor(group, resource)?.matching(names).length ?? 0) > 0);
}

/** What an object takes of the `names` that a quota limits: nothing where it is not in the quota's scopes. */
export function countedBy(
  quota: KubeObject,
  names: readonly string[],
  {
    evaluator,
    object,
    now,
  }: { readonly evaluator: Evaluator; readonly object: KubeObject; readonly now: number },
): Amounts {
  const counts = scopesOf(quota).every((selector) => evaluator.inScope(selector, object));
  return counts ? amountsOf(evaluator.usage(object, now), evaluator.matching(names)) : new Map();
}
