import {
  compareText,
  type corev1,
  defined,
  formatTime,
  parseTime,
  type policyv1,
  setCondition,
  type Stored,
} from '@kubewright/kube';
import type { LabelSelectorObject } from '@kubewright/kube/selectors';
import type { EventNote } from '@kubewright/runtime';
import { isReady } from '../workloads/pod-state.ts';
import { scaledValue } from '../workloads/scaled-value.ts';

type Budget = Stored<policyv1.PodDisruptionBudget>;
type Status = policyv1.PodDisruptionBudgetStatus;
type Condition = NonNullable<Status['conditions']>[number];

/** Everything that a decision about one budget needs. */
export type Observed = {
  readonly budget: Budget;
  /** All that it selects. */
  readonly pods: readonly Stored<corev1.Pod>[];
  /** How many pods the controllers of these want, or why that is unknown; and how many pods have none. */
  readonly scale: { readonly wanted: number; readonly unmanaged: number } | { readonly error: string };
};

export type BudgetDecision = {
  readonly status: Status;
  readonly events: readonly EventNote[];
  /** Pods that were to be evicted and have not been. */
  readonly forgotten: readonly Stored<corev1.Pod>[];
  /** When an eviction that was let through counts no more, in milliseconds. */
  readonly requeueAfter?: number;
};

/** An eviction that the API server let through takes place within this time, or never. */
const DELETION_MS = 2 * 60_000;
const ALLOWED = 'DisruptionAllowed';

/** What the status of a budget should say at `now`, in milliseconds. */
export function decide({ budget, pods, scale }: Observed, now: number): BudgetDecision {
  const empty = pods.length === 0 ? [note('Normal', 'NoPods', 'No matching pods found')] : [];
  if ('error' in scale) {
    const message = `Failed to calculate the number of expected pods: ${scale.error}`;
    const events = [...empty, note('Warning', 'CalculateExpectedPodCountFailed', message)];
    return { status: failed(budget, scale.error, now), events, forgotten: [] };
  }
  const { expected, desired } = expectation(budget, pods.length, scale.wanted);
  const { disrupted, forgotten, next } = awaited(budget, pods, now);
  const healthy = pods.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      isReady(pod) &&
      !Object.hasOwn(disrupted, pod.metadata.name),
  ).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const status = {
    conditions: withState(budget, allowed > 0, now),
    currentHealthy: healthy,
    desiredHealthy: desired,
    ...(Object.keys(disrupted).length === 0 ? {} : { disruptedPods: disrupted }),
    disruptionsAllowed: allowed,
    expectedPods: expected,
    observedGeneration: budget.metadata.generation ?? 0,
  };
  const events = scale.unmanaged === 0 ? empty : [...empty, unmanaged(budget)];
  return { status, events, forgotten, ...(next === undefined ? {} : { requeueAfter: next - now }) };
}

/** How many pods there should be, and how many of them healthy. */
function expectation(
  { spec: { minAvailable, maxUnavailable } }: Budget,
  pods: number,
  wanted: number,
): { readonly expected: number; readonly desired: number } {
  if (maxUnavailable !== undefined)
    return { expected: wanted, desired: Math.max(0, wanted - scaledValue(maxUnavailable, wanted, true)) };
  if (typeof minAvailable === 'string')
    return { expected: wanted, desired: scaledValue(minAvailable, wanted, true) };
  return minAvailable === undefined ? { expected: 0, desired: 0 } : { expected: pods, desired: minAvailable };
}

/** Whether the number of wanted pods has to be asked of their controllers. */
export function needsScale({ spec: { minAvailable, maxUnavailable } }: Budget): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === 'string';
}

type Awaited = {
  readonly disrupted: Readonly<Record<string, string>>;
  readonly forgotten: readonly Stored<corev1.Pod>[];
  readonly next: number | undefined;
};

/** The evictions that were let through and are still to be seen. */
function awaited({ status }: Budget, pods: readonly Stored<corev1.Pod>[], now: number): Awaited {
  const known = status?.disruptedPods ?? {};
  const staying = pods.flatMap((pod) => {
    const { name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined || !Object.hasOwn(known, name)) return [];
    const since = known[name] ?? '';
    return [{ pod, name, since, until: parseTime(since).getTime() + DELETION_MS }];
  });
  const pending = staying.filter(({ until }) => until >= now);
  return {
    disrupted: Object.fromEntries(pending.map(({ name, since }) => [name, since])),
    forgotten: staying.filter(({ until }) => until < now).map(({ pod }) => pod),
    next: pending.length === 0 ? undefined : Math.min(...pending.map(({ until }) => until)) + 1,
  };
}

function withState({ status, metadata }: Budget, allows: boolean, now: number): readonly Condition[] {
  const state = allows
    ? ({ status: 'True', reason: 'SufficientPods' } as const)
    : ({ status: 'False', reason: 'InsufficientPods' } as const);
  const update = { type: ALLOWED, ...state, message: '', observedGeneration: metadata.generation ?? 0 };
  return setCondition(conditionsOf(status), update, formatTime(new Date(now)));
}

function conditionsOf(status: Status | undefined): Parameters<typeof setCondition>[0] {
  return (status?.conditions ?? []) as Parameters<typeof setCondition>[0];
}

/** Nothing may be disrupted while the desired number of pods is unknown. */
function failed({ status }: Budget, message: string, now: number): Status {
  const { observedGeneration } = status ?? {};
  const update = {
    type: ALLOWED,
    status: 'False',
    reason: 'SyncFailed',
    message,
    ...defined({ observedGeneration }),
  } as const;
  const conditions = setCondition(conditionsOf(status), update, formatTime(new Date(now)));
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...status,
    disruptionsAllowed: 0,
    conditions,
  };
}

function note(type: EventNote['type'], reason: string, message: string): EventNote {
  return { type, reason, message };
}

function unmanaged({ spec }: Budget): EventNote {
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${shown(spec.selector)}) were found to be unmanaged. ` +
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
  return note('Warning', 'UnmanagedPods', message);
}

/** A selector as Go prints it. */
function shown(selector: LabelSelectorObject | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => compareText(a, b));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const map = labels.map(([key, value]) => `${key}: ${value},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${map}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
