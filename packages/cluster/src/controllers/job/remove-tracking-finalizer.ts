import { type Client, ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, defined, type Stored } from '@kubewright/kube';
import { TRACKING_FINALIZER } from './constants.ts';
import { isTracked } from './decide/job-pods.ts';

/** Takes the tracking finalizer off a pod; one that is gone, or another of its name, needs nothing. Returns what it patched. */
export async function removeTrackingFinalizer(
  client: Client,
  pod: Stored<corev1.Pod>,
  version?: string,
): Promise<Stored<corev1.Pod> | undefined> {
  if (!isTracked(pod)) return undefined;
  const { uid } = pod.metadata;
  const body = {
    metadata: {
      uid,
      ...defined({ resourceVersion: version }),
      '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER],
    },
  };
  return ignoreNotFound(client.patch(corev1.pods, keyOf(pod), { type: 'strategic', body }));
}
