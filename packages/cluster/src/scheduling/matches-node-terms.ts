import type { corev1, Stored } from '@kubewright/kube';
import { type LabelRequirement, matchesLabels, type SelectorOperator } from '@kubewright/kube/selectors';

const OPERATORS: Readonly<Record<corev1.NodeSelectorRequirement['operator'], SelectorOperator>> = {
  DoesNotExist: '!',
  Exists: 'exists',
  Gt: 'gt',
  In: 'in',
  Lt: 'lt',
  NotIn: 'notin',
};

/** Whether a node is among those that one of `terms` names. An empty term names none. */
export function matchesNodeTerms(
  terms: readonly corev1.NodeSelectorTerm[],
  node: Stored<corev1.Node>,
): boolean {
  return terms.some((term) => matchesNodeTerm(term, node));
}

export function matchesNodeTerm(
  { matchExpressions = [], matchFields = [] }: corev1.NodeSelectorTerm,
  { metadata }: Stored<corev1.Node>,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { 'metadata.name': metadata.name };
  return (
    matchesLabels(matchExpressions.map(requirementOf), metadata.labels) &&
    matchesLabels(matchFields.map(requirementOf), fields)
  );
}

function requirementOf({ key, operator, values = [] }: corev1.NodeSelectorRequirement): LabelRequirement {
  return { key, operator: OPERATORS[operator], values };
}

/** The nodes that terms name by their name; undefined if one of them names nodes otherwise. */
export function namedNodes(terms: readonly corev1.NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const byName = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    const [first, ...others] = byName.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}
