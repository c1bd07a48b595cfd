import { type corev1, parseTime, type Stored } from '@kubewright/kube';

type Pod = Stored<corev1.Pod>;

/**
 * When a pod ended, in milliseconds: when the last of its containers (and sidecars) did, if all have; else when it
 * ceased to be ready; else when its deletion was asked for; else when it was made.
 */
export function finishTime(pod: Pod): number {
  return (
    containersEnded(pod) ?? unreadySince(pod) ?? deletionAsked(pod) ?? at(pod.metadata.creationTimestamp) ?? 0
  );
}

function containersEnded({ spec, status }: Pod): number | undefined {
  const sidecars = (spec.initContainers ?? [])
    .filter(({ restartPolicy }) => restartPolicy === 'Always')
    .map(({ name }) => name);
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  const counting = initContainerStatuses.filter(({ name }) => sidecars.includes(name));
  const ends = [...containerStatuses, ...counting].map(({ state }) => at(state?.terminated?.finishedAt));
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 || known.length < ends.length ? undefined : Math.max(...known);
}

function unreadySince({ status }: Pod): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? at(ready.lastTransitionTime) : undefined;
}

function deletionAsked({ metadata }: Pod): number | undefined {
  const end = at(metadata.deletionTimestamp);
  return end === undefined ? undefined : end - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}

function at(time: string | null | undefined): number | undefined {
  return time === undefined || time === null ? undefined : parseTime(time).getTime();
}
