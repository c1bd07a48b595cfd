import type { corev1 } from '@kubewright/kube';
import { isAvailable, isReady } from '../../workloads/pod-state.ts';

type Pod = corev1.Pod;

/** A pod that the API server has: one that is still to be made has no phase. */
export const isCreated = ({ status }: Pod): boolean => (status?.phase ?? '') !== '';

export const isPending = ({ status }: Pod): boolean => status?.phase === 'Pending';

export const isOver = ({ status }: Pod): boolean =>
  status?.phase === 'Failed' || status?.phase === 'Succeeded';

/** Being deleted, in whatever phase: it holds its place until it is gone. */
export const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isReady(pod);

export const isUnavailable = (pod: Pod, minReadySeconds: number, now: number): boolean =>
  isLeaving(pod) || !isAvailable(pod, minReadySeconds, now);
