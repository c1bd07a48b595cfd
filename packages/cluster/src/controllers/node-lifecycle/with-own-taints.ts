import { type corev1, formatTime } from '@kubewright/kube';

type Taint = corev1.Taint;
type TaintId = Pick<Taint, 'key' | 'effect'>;

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const CORDONED = 'node.kubernetes.io/unschedulable';

/** Which status of which condition keeps pods away, and by which taint. */
const BY_CONDITION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};
/** The taints of effect NoSchedule that are this controller's to add and to take away. */
const OWN = new Set([CORDONED, ...Object.values(BY_CONDITION).flatMap((taints) => Object.values(taints))]);

/** The taints of effect NoSchedule that a node's conditions call for. */
export function keepingAway(
  conditions: readonly corev1.NodeCondition[],
  cordoned: boolean,
): readonly TaintId[] {
  const keys = conditions.flatMap(({ type, status }) => {
    const taints = Object.hasOwn(BY_CONDITION, type) ? BY_CONDITION[type] : undefined;
    return taints !== undefined && Object.hasOwn(taints, status) ? (taints[status] ?? []) : [];
  });
  const all = cordoned ? [...keys, CORDONED] : keys;
  return all.map((key) => ({ key, effect: 'NoSchedule' }) as const);
}

/** The taint that makes pods leave a node that is not ready; undefined for one that is. */
export function drivingOut(ready: corev1.NodeCondition | undefined): TaintId | undefined {
  if (ready === undefined || ready.status === 'True') return undefined;
  return { key: ready.status === 'False' ? NOT_READY : UNREACHABLE, effect: 'NoExecute' };
}

/** Whether a taint is among those by which {@link drivingOut} makes pods leave. */
export function drivesOut({ key, effect }: TaintId): boolean {
  return effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);
}

function isOwn(taint: TaintId): boolean {
  return drivesOut(taint) || (taint.effect === 'NoSchedule' && OWN.has(taint.key));
}

function sameTaint(a: TaintId, b: TaintId): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** Taints with `wanted` of the controller's own and all of others; the very array it was given if nothing changes. */
export function withOwnTaints(
  taints: readonly Taint[],
  wanted: readonly TaintId[],
  now: number,
): readonly Taint[] {
  const kept = taints.filter((taint) => !isOwn(taint) || wanted.some((one) => sameTaint(one, taint)));
  const missing = wanted.filter((one) => !taints.some((taint) => sameTaint(one, taint)));
  if (kept.length === taints.length && missing.length === 0) return taints;
  const timeAdded = formatTime(new Date(now));
  return [...kept, ...missing.map((one) => ({ ...one, timeAdded }))];
}
