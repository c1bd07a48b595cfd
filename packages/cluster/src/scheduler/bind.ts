import { type Client, ignoreNotFound } from '@kubewright/client';
import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { patchPodStatus } from '../controllers/workloads/patch-pod-status.ts';
import { podCondition } from '../controllers/workloads/pod-condition.ts';

/** Assigns a pod to a node, by `pods/binding`. The uid says which pod of that name is meant. */
export async function bind(client: Client, pod: Stored<corev1.Pod>, node: string): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const metadata = { name, namespace, uid } as KubeObject['metadata'];
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata, target };
  await client.create<KubeObject>(corev1.pods, binding, { subresource: 'binding' });
}

/** Says in the pod's status why it is on no node, unless it says so. */
export async function reportUnschedulable(
  client: Client,
  pod: Stored<corev1.Pod>,
  { message, now }: { readonly message: string; readonly now: number },
): Promise<void> {
  const update = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const;
  const condition = podCondition(pod, update, now);
  if (condition === undefined) return;
  await ignoreNotFound(patchPodStatus(client, pod, { conditions: [condition] }));
}
