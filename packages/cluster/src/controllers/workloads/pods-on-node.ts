import { corev1, type Stored } from '@kubewright/kube';
import type { Cache } from '@kubewright/runtime';

const BY_NODE = 'node';

/** Must have been called before {@link podsOnNode}. */
export function indexByNode(cache: Cache): void {
  cache.addIndex(corev1.pods, BY_NODE, nodeNames);
}

function nodeNames({ spec }: Stored<corev1.Pod>): readonly string[] {
  return spec.nodeName === undefined || spec.nodeName === '' ? [] : [spec.nodeName];
}

/** The pods that are assigned to a node, whether that exists or not. */
export function podsOnNode(cache: Cache, node: string): readonly Stored<corev1.Pod>[] {
  return cache.byIndex(corev1.pods, BY_NODE, node);
}
