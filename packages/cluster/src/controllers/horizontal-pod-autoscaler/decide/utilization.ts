import type { PodValues } from './group-pods.ts';
import { podReplicas, sum } from './pod-replicas.ts';
import type { Circumstances, Proposal } from './proposal.ts';
import { requestsOf } from './requests-of.ts';

/** `usage` is the average in thousandths, `utilization` in percent of what is requested. */
type Measured = { readonly usage: number; readonly utilization: number };

export type Utilization = {
  readonly values: PodValues;
  readonly resource: string;
  /** Empty: the whole pod. */
  readonly container: string;
  /** Percent. */
  readonly target: number;
};

/** Replicas by how much of its request each pod uses. */
export function utilizationReplicas(metric: Utilization, circumstances: Circumstances): Proposal<Measured> {
  const { resource, container, target } = metric;
  const requests = requestsOf(circumstances.pods, container, resource);
  const known = 'error' in requests ? new Map<string, number>() : requests;
  return podReplicas<Measured>(
    {
      values: metric.values,
      resource,
      ratioOf(values) {
        if ('error' in requests) return requests;
        const measured = [...values].filter(([name]) => known.has(name));
        const requested = sum(measured.map(([name]) => known.get(name) ?? 0));
        if (requested === 0) return { error: 'no metrics returned matched known pods' };
        const used = sum(measured.map(([, value]) => value));
        const utilization = Math.trunc((used * 100) / requested);
        return { ratio: utilization / target, utilization, usage: Math.trunc(used / measured.length) };
      },
      assumed: (name) => Math.trunc(((known.get(name) ?? 0) * Math.max(100, target)) / 100),
    },
    circumstances,
  );
}
