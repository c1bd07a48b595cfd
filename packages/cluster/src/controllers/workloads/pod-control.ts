import { ApiError, type Client, isNotFound, keyOf } from '@kubewright/client';
import { corev1, errorText, type KubeObject, type Stored } from '@kubewright/kube';
import type { EventRecorder } from '@kubewright/runtime';

/** Makes and deletes the pods of a controller, and emits the events on the controller's object. */
export type PodControl = {
  create(pod: corev1.Pod, owner: KubeObject): Promise<Stored<corev1.Pod>>;
  /** A pod that is gone already is deleted. */
  remove(pod: Stored<corev1.Pod>, owner: KubeObject): Promise<void>;
};

export function createPodControl(client: Client, recorder: EventRecorder): PodControl {
  const emit = (owner: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void =>
    recorder.record(owner, { type, reason, message });
  return {
    async create(pod, owner) {
      try {
        const created = await client.create(corev1.pods, pod);
        emit(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
        return created;
      } catch (error) {
        if (!isNamespaceTerminating(error))
          emit(owner, 'Warning', 'FailedCreate', `Error creating: ${errorText(error)}`);
        throw error;
      }
    },
    async remove(pod, owner) {
      const { uid } = pod.metadata;
      try {
        await client.delete(corev1.pods, keyOf(pod), { preconditions: { uid } });
        emit(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        if (isNotFound(error)) return;
        emit(owner, 'Warning', 'FailedDelete', `Error deleting: ${errorText(error)}`);
        throw error;
      }
    },
  };
}

/** Nothing can be made in a namespace that is being deleted, and that needs no event. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
