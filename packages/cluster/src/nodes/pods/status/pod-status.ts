import { compareText, type corev1 } from '@kubewright/kube';
import type { Observed } from '../observed.ts';
import { type PodContainer, podContainers } from '../pod-containers.ts';
import { kubeletConditions } from './kubelet-conditions.ts';
import { containerStatus, timeText } from './container-status.ts';
import { phaseOf } from './phase.ts';

/** The part of a pod's status that a kubelet writes, as it should be now. */
export function podStatus(observed: Observed, isTerminal: boolean, now: number): corev1.PodStatus {
  const { pod, record, hostIP } = observed;
  const { status: old = {}, metadata } = pod;
  const phase = phaseOf(observed, isTerminal);
  const shown = podContainers(pod).map(
    (one) => [one, containerStatus({ observed, isTerminal }, one)] as const,
  );
  const statuses = new Map(shown.map(([, status]) => [status.name, status]));
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const hasSandbox = hasBegun(observed) && !isOver;
  const inits = shown.filter(([{ role }]) => role !== 'main');
  const end = isOver ? record.end : undefined;
  return {
    phase,
    ...observedGeneration(metadata),
    ...(end === undefined ? {} : { reason: end.reason, message: end.message }),
    conditions: kubeletConditions({ pod, phase, statuses, hasSandbox, end, now }),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...addresses(observed, hasSandbox),
    startTime: old.startTime ?? timeText(now),
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map(([, status]) => status) }),
    containerStatuses: shown
      .filter(isMain)
      .map(([, status]) => status)
      .sort(byName),
  };
}

function observedGeneration({
  generation,
}: corev1.Pod['metadata']): Pick<corev1.PodStatus, 'observedGeneration'> {
  return generation === undefined ? {} : { observedGeneration: generation };
}

function isMain([{ role }]: readonly [PodContainer, corev1.ContainerStatus]): boolean {
  return role === 'main';
}

function byName(a: corev1.ContainerStatus, b: corev1.ContainerStatus): number {
  return compareText(a.name, b.name);
}

/** A sandbox is there as soon as a container was tried. */
function hasBegun({ record }: Observed): boolean {
  return [...record.containers.values()].some(
    ({ attempt, waiting, pullingSince }) =>
      attempt !== undefined || waiting !== undefined || pullingSince !== undefined,
  );
}

function addresses(
  { pod, record, hostIP }: Observed,
  hasSandbox: boolean,
): Pick<corev1.PodStatus, 'podIP' | 'podIPs'> {
  if (pod.spec.hostNetwork === true) return { podIP: hostIP, podIPs: [{ ip: hostIP }] };
  const known = pod.status?.podIP;
  if (known === undefined && !hasSandbox) return {};
  const ip = known ?? record.ip;
  return { podIP: ip, podIPs: [{ ip }] };
}
