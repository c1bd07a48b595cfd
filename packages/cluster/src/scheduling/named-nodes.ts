import type { corev1 } from '@kubewright/kube';

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
