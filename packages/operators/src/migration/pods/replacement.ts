import type { corev1, KubeObject } from '@kubewright/kube';
import { controllerOf } from '@kubewright/kube';
import {
  EPOCH_ANNOTATION,
  LABELS,
  type MigrationStatus,
  NAME_FINALIZER,
  ROLES,
  type StatefulMigration,
} from '../api.ts';
import { isNameKept } from '../process-queues.ts';
import { isSequential } from '../strategy.ts';
import { onNode } from './on-node.ts';
import { restoring } from './shadow-pod.ts';
import { underName } from './under-name.ts';

/**
 * Changes a pod of a StatefulSet or ReplicaSet at admission, if the migration wants it to take over: it goes to the target node and
 * waits for the state. Undefined: the migration does not concern it.
 */
export function replacement<P extends KubeObject & corev1.Pod>(
  pod: P,
  migration: StatefulMigration,
): P | undefined {
  const { status } = migration;
  if (status?.handedOver !== true || status.outcome !== undefined) return undefined;
  const owner = controllerOf(pod)?.uid;
  if (!isMadeBy(owner, status)) return undefined;
  const taking = takingOver(pod, migration);
  // A ReplicaSet's pod has another name than the source, whose queue it goes on with.
  const isOther = owner === status.replicaSetUID && status.handover?.checkpoint === undefined;
  return isOther ? underName(taking, migration.spec.sourcePod) : taking;
}

/** Of a ReplicaSet, any pod until it is on record which one takes over: it may have made it for another reason. */
function isMadeBy(owner: string | undefined, status: MigrationStatus): boolean {
  if (owner === undefined) return false;
  const isOpen = isSequential(status) && status.handover?.to.uid === undefined;
  return owner === status.statefulSetUID || (isOpen && owner === status.replicaSetUID);
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
