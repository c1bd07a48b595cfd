import { type Client, keyOf } from '@kubewright/client';
import { corev1, type JsonObject, type Stored } from '@kubewright/kube';

/** Patches fields of a pod's status; conditions are merged by their type. Another pod of that name is never touched. */
export async function patchPodStatus(
  client: Client,
  pod: Stored<corev1.Pod>,
  status: JsonObject,
): Promise<corev1.Pod> {
  const { uid } = pod.metadata;
  const body = { metadata: { uid }, status };
  return client.patch(corev1.pods, keyOf(pod), { type: 'strategic', body }, { subresource: 'status' });
}
