import type { corev1, Stored } from '@kubewright/kube';
import { evictionRate, zoneOf } from './eviction-rate.ts';

export type LimiterOptions = {
  /** `--node-eviction-rate`: nodes per second and zone. Default 0.1. */
  readonly evictionRate?: number;
  /** `--secondary-node-eviction-rate`. Default 0.01. */
  readonly secondaryEvictionRate?: number;
};

/** Limits evictions to one node after the other: many unreachable nodes at once rather mean a network partition. */
export type Limiter = {
  /** When the next node of its zone may begin to be emptied, in milliseconds. */
  next(node: Stored<corev1.Node>, nodes: readonly Stored<corev1.Node>[]): number;
  take(node: Stored<corev1.Node>, now: number): void;
};

export function createLimiter({
  evictionRate: normal = 0.1,
  secondaryEvictionRate: reduced = 0.01,
}: LimiterOptions): Limiter {
  const last = new Map<string, number>();
  return {
    next(node, nodes) {
      const rate = evictionRate(zoneOf(node), nodes, { normal, reduced });
      return rate === 0 ? Number.POSITIVE_INFINITY : (last.get(zoneOf(node)) ?? -Infinity) + 1000 / rate;
    },
    take: (node, now) => void last.set(zoneOf(node), now),
  };
}
