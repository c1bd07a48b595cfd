import { compareText } from '@kubewright/kube';
import { matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import type { Kausality, KausalitySpec, Mode } from '../api.ts';

type Labels = Readonly<Record<string, string>>;

/** What a policy is matched against. */
export type Target = {
  readonly group: string;
  /** The plural resource name. */
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly namespaceLabels: Labels;
  /** Labels of the new and the old object: as for a webhook's objectSelector, one match is enough. */
  readonly labels: readonly Labels[];
};

/**
 * The most specific policy that matches a target, of equals the first by name. Undefined: the target is not tracked.
 */
export function policyFor(policies: readonly Kausality[], target: Target): Kausality | undefined {
  const scored = policies
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((policy) => {
      const score = scoreOf(policy.spec, target);
      return score === undefined ? [] : [{ policy, score }];
    });
  const byName = (a: Kausality, b: Kausality): number => compareText(a.metadata.name, b.metadata.name);
  return scored.toSorted((a, b) => b.score - a.score || byName(a.policy, b.policy))[0]?.policy;
}

/** The mode of a policy for a target: from the first matching override, else its own. */
export function modeIn({ mode, overrides = [] }: KausalitySpec, target: Target): Mode {
  const speaks = (list: readonly string[] | undefined, value: string): boolean =>
    list === undefined || list.length === 0 || list.includes(value);
  const found = overrides.find(
    ({ apiGroups, resources, namespaces }) =>
      speaks(apiGroups, target.group) &&
      speaks(resources, target.resource) &&
      speaks(namespaces, target.namespace),
  );
  return found?.mode ?? mode;
}

/** How specific a policy is for a target; undefined if it does not match. */
function scoreOf(
  { resources, namespaces, objectSelector }: KausalitySpec,
  target: Target,
): number | undefined {
  const { group, resource, labels } = target;
  const rules = resources.filter(
    (rule) =>
      rule.apiGroups.includes(group) &&
      (rule.resources.includes(resource) ||
        (rule.resources.includes('*') && !(rule.excluded ?? []).includes(resource))),
  );
  const fromNamespace = namespaceScore(namespaces, target);
  const isSelected = objectSelector === undefined || labels.some((each) => selects(objectSelector, each));
  if (rules.length === 0 || fromNamespace === undefined || !isSelected) return undefined;
  const explicit = rules.filter((rule) => rule.resources.includes(resource)).length;
  return fromNamespace + 10 * explicit + (objectSelector === undefined ? 0 : 5);
}

function namespaceScore(
  namespaces: KausalitySpec['namespaces'],
  { namespace, namespaceLabels }: Target,
): number | undefined {
  const { names = [], selector, excluded = [] } = namespaces ?? {};
  if (excluded.includes(namespace)) return undefined;
  if (names.length > 0) return names.includes(namespace) ? 100 : undefined;
  if (selector === undefined) return 0;
  return namespace !== '' && selects(selector, namespaceLabels) ? 50 : undefined;
}

function selects(selector: NonNullable<KausalitySpec['objectSelector']>, labels: Labels): boolean {
  return matchesLabels(selectorFromLabelSelector(selector), labels);
}
