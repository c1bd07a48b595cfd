import { compareText, type corev1, type Stored } from '@kubewright/kube';
import { nodeProblem } from '../decide/node-problem.ts';

type Node = Stored<corev1.Node>;

/**
 * Where a pod may go: to a node that is ready, not cordoned, has the labels that the pod selects, no taint that keeps the pod
 * away, and as much as it requests. The one to which the fewest go already; those that were tried before come last. The
 * scheduler checks the rest.
 */
export function chooseNode(
  { spec }: Stored<corev1.Pod>,
  nodes: readonly Node[],
  targets: { readonly open: readonly string[]; readonly tried: readonly string[] },
): string | undefined {
  const count = (all: readonly string[], { metadata: { name } }: Node): number =>
    all.filter((one) => one === name).length;
  const [best] = nodes
    .filter((node) => node.metadata.name !== spec.nodeName && nodeProblem(spec, node) === undefined)
    .toSorted(
      (a, b) =>
        count(targets.tried, a) - count(targets.tried, b) ||
        count(targets.open, a) - count(targets.open, b) ||
        compareText(a.metadata.name, b.metadata.name),
    );
  return best?.metadata.name;
}
