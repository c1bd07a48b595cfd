import type { appsv1, Stored } from '@kubewright/kube';
import { scaledValue } from '../../workloads/scaled-value.ts';

/** How many nodes may have no available pod during an update, and how many may have two pods. */
export type Limits = { readonly maxUnavailable: number; readonly maxSurge: number };

/** `desired` is the number of nodes that are to have a pod. */
export function limitsOf({ spec }: Stored<appsv1.DaemonSet>, desired: number): Limits {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return { maxUnavailable: 0, maxSurge: 0 };
  const maxSurge = scaledValue(rollingUpdate?.maxSurge, desired, true);
  const maxUnavailable = scaledValue(rollingUpdate?.maxUnavailable, desired, true);
  // Neither would be an update that never begins.
  return { maxSurge, maxUnavailable: maxUnavailable + maxSurge === 0 ? 1 : maxUnavailable };
}

export const allowsSurge = (set: Stored<appsv1.DaemonSet>): boolean => limitsOf(set, 1).maxSurge > 0;
