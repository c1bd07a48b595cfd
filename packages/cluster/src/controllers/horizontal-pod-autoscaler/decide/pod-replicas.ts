import { groupPods, type PodGroups, type PodValues } from './group-pods.ts';
import { type Circumstances, isWithin, NO_PODS, type Proposal } from './proposal.ts';

type Ratio<M> = (M & { readonly ratio: number }) | { readonly error: string };
type Values = ReadonlyMap<string, number>;

export type PodMetric<M> = {
  readonly values: PodValues;
  /** `cpu` where readiness decides what a value is worth. */
  readonly resource: string;
  /** Used to wanted, of the pods that have a value (in thousandths). */
  readonly ratioOf: (values: Values) => Ratio<M>;
  /** What a pod without a value is taken to use when fewer replicas would do. */
  readonly assumed: (pod: string) => number;
};

/**
 * Replicas by what pods use on average. Pods that tell nothing are taken to use nothing where more replicas are asked
 * for, and as much as they may where fewer are; if that turns the direction, nothing changes.
 */
export function podReplicas<M extends object>(
  metric: PodMetric<M>,
  circumstances: Circumstances,
): Proposal<M> {
  const { specReplicas: current, pods, tolerances } = circumstances;
  if (pods.length === 0) return { error: NO_PODS };
  const groups = groupPods(pods, metric.values, { ...circumstances, resource: metric.resource });
  const measured = measuredOf(metric.values, groups);
  if (measured.size === 0)
    return { error: 'did not receive metrics for targeted pods (pods might be unready)' };
  const first = metric.ratioOf(measured);
  if ('error' in first) return first;
  const { ratio, ...rest } = first;
  const of = (replicas: number): Proposal<M> => ({ ...(rest as M), replicas });
  if (!(groups.unready.size > 0 && ratio > 1) && groups.missing.size === 0)
    return of(isWithin(tolerances, ratio) ? current : Math.ceil(ratio * groups.ready));
  const filled = withAssumed(measured, groups, { ratio, assumed: metric.assumed });
  const second = metric.ratioOf(filled);
  if ('error' in second) return second;
  const replicas = Math.ceil(second.ratio * filled.size);
  return of(isDoubtful(ratio, second.ratio, { replicas, circumstances }) ? current : replicas);
}

type Guess = { readonly replicas: number; readonly circumstances: Circumstances };

/** With what was assumed the difference is small, or goes the other way. */
function isDoubtful(first: number, second: number, { replicas, circumstances }: Guess): boolean {
  const { tolerances, specReplicas } = circumstances;
  return isWithin(tolerances, second) || turns(first, second) || turns(second, replicas / specReplicas);
}

function measuredOf(values: PodValues, { ignored, unready }: PodGroups): Map<string, number> {
  const counted = [...values].filter(([name]) => !ignored.has(name) && !unready.has(name));
  return new Map(counted.map(([name, { value }]) => [name, value]));
}

type Assumption = { readonly ratio: number; readonly assumed: (pod: string) => number };

/** With values for pods that tell nothing, and for those that are not ready where more are asked for. */
function withAssumed(measured: Values, groups: PodGroups, { ratio, assumed }: Assumption): Values {
  const silent = ratio === 1 ? [] : [...groups.missing];
  const starting = ratio > 1 ? [...groups.unready] : [];
  return new Map([
    ...measured,
    ...silent.map((name) => [name, ratio < 1 ? assumed(name) : 0] as const),
    ...starting.map((name) => [name, 0] as const),
  ]);
}

/** One asks for more, the other for less. */
function turns(a: number, b: number): boolean {
  return (a < 1 && b > 1) || (a > 1 && b < 1);
}

/** The average of values in thousandths, towards zero. */
export function average(values: Values): number {
  return Math.trunc(sum(values.values()) / values.size);
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
