import type { corev1, Stored } from '@kubewright/kube';
import type { AutoscalerSettings } from '../autoscaler-settings.ts';

/** How far a metric may be off without any change. */
export type Tolerances = { readonly up: number; readonly down: number };

/** Everything beside the metric that its proposal depends on. */
export type Circumstances = {
  /** Of the scale. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** Those that the scale's selector selects. */
  readonly pods: readonly Stored<corev1.Pod>[];
  readonly tolerances: Tolerances;
  readonly settings: AutoscalerSettings;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

/** How many replicas a metric asks for, and what it measured; or why it cannot tell. */
export type Proposal<Measured = { readonly usage: number }> =
  | (Measured & { readonly replicas: number })
  | { readonly error: string };

export const NO_PODS = 'no pods returned by selector while calculating replica count';
export const MAX_INT32 = 2_147_483_647;

export function isWithin({ up, down }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}
