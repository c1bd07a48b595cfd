import { type appsv1, type corev1, defined, type Named, type Stored } from '@kubewright/kube';
import { podFromTemplate } from '../../workloads/pod-from-template.ts';
import { claimName, firstOrdinal, ordinalOf, placeOf, podName } from './ordinal-of.ts';

type Pod = Named<corev1.Pod>;
type StatefulSet = Stored<appsv1.StatefulSet>;

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';

/** Label of a pod: the name of the revision that it was made from. */
const REVISION = 'controller-revision-hash';

export const revisionOf = ({ metadata }: corev1.Pod): string => metadata.labels?.[REVISION] ?? '';

/** A state that a set's pods can be made from. */
export type PodSource = { readonly revision: string; readonly template: corev1.PodTemplateSpec };

/**
 * The pod that is missing at `ordinal`. Below the partition (without one: below the pods that still are of the current
 * revision) pods come back as they were; the others are of the update.
 */
export function missingPod(
  set: StatefulSet,
  { current, update }: { readonly current: PodSource; readonly update: PodSource },
  ordinal: number,
): Pod {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const kept =
    rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  const keeps = rollingUpdate !== undefined || type === 'RollingUpdate';
  return newPod(set, keeps && ordinal < firstOrdinal(set) + kept ? current : update, ordinal);
}

function newPod(set: StatefulSet, { revision, template }: PodSource, ordinal: number): Pod {
  const { metadata, ...pod } = podFromTemplate(template, set);
  const name = podName(set, ordinal);
  const subdomain = set.spec.serviceName;
  const bare: Pod = {
    ...pod,
    metadata: { ...metadata, name, labels: { ...metadata.labels, [REVISION]: revision } },
    spec: { ...pod.spec, hostname: name, ...defined({ subdomain }) },
  };
  return withStorage(set, withIdentity(set, bare));
}

export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const { name, labels } = pod.metadata;
  const place = placeOf(pod);
  return place.ordinal >= 0 && name === podName(set, place.ordinal) && labels?.[POD_NAME] === name;
}

/** Host name and subdomain are given once, when a pod is made: they cannot change. */
export function withIdentity(set: StatefulSet, pod: Pod): Pod {
  const ordinal = ordinalOf(pod);
  const name = podName(set, ordinal);
  const labels = { ...pod.metadata.labels, [POD_NAME]: name, [POD_INDEX]: String(ordinal) };
  return { ...pod, metadata: { ...pod.metadata, name, labels } };
}

export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  const claims = new Map(
    (pod.spec.volumes ?? []).map(({ name, persistentVolumeClaim }) => [
      name,
      persistentVolumeClaim?.claimName,
    ]),
  );
  return storageOf(set, pod).every(
    ({ name, persistentVolumeClaim: { claimName: claim } }) => claims.get(name) === claim,
  );
}

/** Volumes of the set's claims take the place of those of the same name. */
export function withStorage(set: StatefulSet, pod: Pod): Pod {
  const storage = storageOf(set, pod);
  if (storage.length === 0) return pod;
  const names = new Set(storage.map(({ name }) => name));
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...pod, spec: { ...pod.spec, volumes: [...storage, ...others] } };
}

type ClaimVolume = { readonly name: string; readonly persistentVolumeClaim: { readonly claimName: string } };

function storageOf(set: StatefulSet, pod: Pod): readonly ClaimVolume[] {
  const ordinal = ordinalOf(pod);
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata.name ?? '',
    persistentVolumeClaim: { claimName: claimName(template, set, ordinal) },
  }));
}
