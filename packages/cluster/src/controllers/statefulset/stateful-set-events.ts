import type { appsv1, KubeObject, Stored } from '@kubewright/kube';
import type { EventRecorder } from '@kubewright/runtime';

type StatefulSet = Stored<appsv1.StatefulSet>;

/** Events about a set, in the words of Kubernetes. With `failure` it did not work. */
export type StatefulSetEvents = {
  pod(set: StatefulSet, verb: 'Create' | 'Update' | 'Delete', pod: KubeObject, failure?: string): void;
  claim(set: StatefulSet, about: { readonly claim: string; readonly pod: string }, failure?: string): void;
  foreignController(set: StatefulSet, claim: string): void;
};

export function createStatefulSetEvents(recorder: EventRecorder): StatefulSetEvents {
  const record = (set: StatefulSet, reason: string, message: string): void => {
    const type = reason.startsWith('Successful') ? 'Normal' : 'Warning';
    recorder.record(set, { type, reason, message });
  };
  return {
    pod(set, verb, pod, failure) {
      const what = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
      if (failure === undefined) record(set, `Successful${verb}`, `${what} successful`);
      else record(set, `Failed${verb}`, `${what} failed error: ${failure}`);
    },
    claim(set, { claim, pod }, failure) {
      const where = `Pod ${pod} in StatefulSet ${set.metadata.name}`;
      if (failure === undefined) record(set, 'SuccessfulCreate', `Create Claim ${claim} ${where} success`);
      else record(set, 'FailedCreate', `Create Claim ${claim} for ${where} failed error: ${failure}`);
    },
    foreignController(set, claim) {
      const message = `PersistentVolumeClaim ${claim} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      record(set, 'ConflictingController', message);
    },
  };
}
