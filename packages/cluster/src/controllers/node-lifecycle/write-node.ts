import { type Client, ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, defined, formatTime, type JsonObject, type Stored } from '@kubewright/kube';
import type { NodeDecision } from './decide.ts';

/** Writes what is known of a node now. Of the node as it was seen: a change meanwhile is a conflict. */
export async function writeNode(
  client: Client,
  node: Stored<corev1.Node>,
  { conditions, taints, labels }: NodeDecision,
): Promise<void> {
  const next =
    conditions === undefined
      ? node
      : await client.update(
          corev1.nodes,
          { ...node, status: { ...node.status, conditions } },
          { subresource: 'status' },
        );
  if (taints === undefined && labels === undefined) return;
  const { resourceVersion } = next.metadata;
  const body: JsonObject = {
    metadata: { resourceVersion, ...defined({ labels }) },
    ...(taints === undefined ? {} : { spec: { taints } }),
  };
  await client.patch(corev1.nodes, keyOf(node), { type: 'merge', body });
}

/** Marks a pod as not ready: its node reports nothing. */
export async function markUnready(client: Client, pod: Stored<corev1.Pod>, now: number): Promise<boolean> {
  const lastTransitionTime = formatTime(new Date(now));
  const conditions = (pod.status?.conditions ?? []).map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime } : condition,
  );
  const next = { ...pod, status: { ...pod.status, conditions } };
  return (await ignoreNotFound(client.update(corev1.pods, next, { subresource: 'status' }))) !== undefined;
}
