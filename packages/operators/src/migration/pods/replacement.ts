import type { corev1, KubeObject } from '@kubewright/kube';
import { controllerOf } from '@kubewright/kube';
import { EPOCH_ANNOTATION, LABELS, NAME_FINALIZER, ROLES, type StatefulMigration } from '../api.ts';
import { isNameKept } from '../process-queues.ts';
import { onNode } from './on-node.ts';
import { restoring } from './shadow-pod.ts';

/**
 * Changes a pod of a StatefulSet at admission, if the migration wants it to take over: it goes to the target node and
 * waits for the state. Undefined: the migration does not concern it.
 */
export function replacement<P extends KubeObject & corev1.Pod>(
  pod: P,
  migration: StatefulMigration,
): P | undefined {
  const { status } = migration;
  const owner = controllerOf(pod)?.uid;
  const isWanted = status?.handedOver === true && status.outcome === undefined;
  return isWanted && owner !== undefined && owner === status.statefulSetUID
    ? takingOver(pod, migration)
    : undefined;
}

/** The same pod, on the target node, waiting for the state. */
export function takingOver<P extends KubeObject & corev1.Pod>(pod: P, migration: StatefulMigration): P {
  const { metadata, status = { handedOver: false } } = migration;
  const { labels, annotations, finalizers = [] } = pod.metadata;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...labels, [LABELS.migration]: metadata.uid, [LABELS.role]: ROLES.restored },
      annotations: { ...annotations, [EPOCH_ANNOTATION]: String(status.handover?.epoch ?? 0) },
      ...(isNameKept(status) && { finalizers: [...finalizers, NAME_FINALIZER] }),
    },
    spec: restoring(placed(pod.spec, migration), migration),
  };
}

/** On the target node; on any, once it did not start there. */
function placed(spec: corev1.PodSpec, { spec: { targetNode }, status }: StatefulMigration): corev1.PodSpec {
  return status?.targetNodeLost === true ? spec : onNode(spec, targetNode);
}
