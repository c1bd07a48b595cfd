import { compareText, type corev1, type Stored } from '@kubewright/kube';
import { isReadyNode } from '../decide/source-of.ts';

type Node = Stored<corev1.Node>;

/**
 * Where a pod may go: to a node that is ready, not cordoned, has the labels that the pod selects, and no taint that keeps the
 * pod away. The one to which the fewest go already; those that were tried before come last. The scheduler checks the rest.
 */
export function chooseNode(
  { spec }: Stored<corev1.Pod>,
  nodes: readonly Node[],
  targets: { readonly open: readonly string[]; readonly tried: readonly string[] },
): string | undefined {
  const count = (all: readonly string[], { metadata: { name } }: Node): number =>
    all.filter((one) => one === name).length;
  const [best] = nodes
    .filter((node) => node.metadata.name !== spec.nodeName && mayRun(spec, node))
    .toSorted(
      (a, b) =>
        count(targets.tried, a) - count(targets.tried, b) ||
        count(targets.open, a) - count(targets.open, b) ||
        compareText(a.metadata.name, b.metadata.name),
    );
  return best?.metadata.name;
}

function mayRun({ nodeSelector = {}, tolerations = [] }: corev1.PodSpec, node: Node): boolean {
  const { unschedulable = false, taints = [] } = node.spec ?? {};
  const { labels = {} } = node.metadata;
  return (
    isReadyNode(node) &&
    !unschedulable &&
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    taints.every((taint) => taint.effect === 'PreferNoSchedule' || isTolerated(taint, tolerations))
  );
}

function isTolerated(taint: corev1.Taint, tolerations: readonly corev1.Toleration[]): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = taint.effect }) => {
    const isOfAny = operator === 'Exists';
    const isOfKey = key === '' ? isOfAny : key === taint.key;
    const isOfValue = isOfAny || value === (taint.value ?? '');
    return isOfKey && isOfValue && effect === taint.effect;
  });
}
