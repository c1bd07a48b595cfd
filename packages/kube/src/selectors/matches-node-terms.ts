import type { corev1, Stored } from '../index.ts';
import { type LabelRequirement, matchesLabels, type SelectorOperator } from './label-selector.ts';

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
