import type { appsv1, corev1, Stored } from '@kubewright/kube';
import { matchesRequiredNodeAffinity } from '../../../scheduling/matches-required-node-affinity.ts';
import { isTolerated } from '../../../scheduling/tolerates.ts';
import { daemonTolerations } from './daemon-pod.ts';

/** Whether a node is to get a pod of the set, and whether one that is there may stay. */
export type NodeFit = { readonly run: boolean; readonly stay: boolean };

const NOT_AT_ALL: NodeFit = { run: false, stay: false };

/** Where the set's pods belong, as a function of the node. */
export function fitOf(set: Stored<appsv1.DaemonSet>): (node: Stored<corev1.Node>) => NodeFit {
  const spec: corev1.PodSpec = set.spec.template.spec ?? { containers: [] };
  const pod: corev1.Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: set.metadata.namespace },
    spec,
  };
  const tolerations = daemonTolerations(set);
  return (node) => {
    const { nodeName = '' } = spec;
    if (nodeName !== '' && nodeName !== node.metadata.name) return NOT_AT_ALL;
    if (!matchesRequiredNodeAffinity(pod, node)) return NOT_AT_ALL;
    const repelling = (node.spec.taints ?? []).filter((taint) => !isTolerated(taint, tolerations));
    const stay = repelling.every(({ effect }) => effect !== 'NoExecute');
    return { stay, run: stay && repelling.every(({ effect }) => effect !== 'NoSchedule') };
  };
}
