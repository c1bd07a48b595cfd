import { compareText, corev1, getOwn, type Json, jsonEqual, type Stored } from '@kubewright/kube';
import { type Cache, type CacheEvent, requestFor, type Source, watchMapped } from '@kubewright/runtime';
import { isReady, isTerminal } from '../workloads/pod-state.ts';

/** Pods by each of their labels, services by the first label that they select. */
const BY_LABEL = 'label';
const labelKey = (namespace: string, [key, value]: readonly [string, string]): string =>
  `${namespace}/${key}=${value}`;

/** For {@link podsOf} and {@link watchServicePods}. */
export function indexServicePods(cache: Cache): void {
  cache.addIndex(corev1.pods, BY_LABEL, labelKeys);
  cache.addIndex(corev1.services, BY_LABEL, selectedKeys);
}

function labelKeys({ metadata: { namespace, labels = {} } }: Stored<corev1.Pod>): readonly string[] {
  return Object.entries(labels).map((label) => labelKey(namespace, label));
}

/** A pod that the service selects has this label. */
function selectedKeys(service: Stored<corev1.Service>): readonly string[] {
  if (!selectsPods(service)) return [];
  const { metadata, spec } = service;
  return Object.entries(spec?.selector ?? {})
    .slice(0, 1)
    .map((label) => labelKey(metadata.namespace, label));
}

/** Whether the controllers write the endpoints of a service: those without a selector have others for that. */
export function selectsPods({ spec }: Stored<corev1.Service>): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;
}

/** The pods that a service selects, by name. */
export function podsOf(cache: Cache, service: Stored<corev1.Service>): readonly Stored<corev1.Pod>[] {
  const pods = selectedKeys(service).flatMap((key) => cache.byIndex(corev1.pods, BY_LABEL, key));
  const name = ({ metadata }: Stored<corev1.Pod>): string => metadata.name;
  return pods.filter((pod) => selects(service, pod)).sort((a, b) => compareText(name(a), name(b)));
}

/** Reconciles the services that select a pod when something about it changes that endpoints tell. */
export function watchServicePods(cache: Cache): Source {
  const services = (pod: Stored<corev1.Pod>): readonly Stored<corev1.Service>[] =>
    labelKeys(pod).flatMap((key) => cache.byIndex(corev1.services, BY_LABEL, key));
  return watchMapped(
    corev1.pods,
    (pod) =>
      services(pod)
        .filter((service) => selects(service, pod))
        .map(requestFor),
    { predicates: [endpointsChange] },
  );
}

function selects({ spec }: Stored<corev1.Service>, { metadata }: Stored<corev1.Pod>): boolean {
  const labels = metadata.labels ?? {};
  return Object.entries(spec?.selector ?? {}).every(([key, value]) => getOwn(labels, key) === value);
}

function endpointsChange(event: CacheEvent<corev1.Pod>): boolean {
  return event.type !== 'Update' || !jsonEqual(published(event.old), published(event.object));
}

/** What endpoints tell of a pod. That it is over is more than Kubernetes looks at: it may leave such an address. */
function published(pod: Stored<corev1.Pod>): Json {
  const { metadata, spec, status } = pod;
  return [
    metadata.labels ?? {},
    metadata.deletionTimestamp ?? '',
    [spec.hostname ?? '', spec.subdomain ?? ''],
    [isReady(pod), isTerminal(status?.phase)],
    (status?.podIPs ?? []).map(({ ip }) => ip),
  ];
}
