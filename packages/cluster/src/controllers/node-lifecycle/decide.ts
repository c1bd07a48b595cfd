import type { corev1, Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { isReady } from '../workloads/pod-state.ts';
import { isAllLost } from './eviction-rate.ts';
import { drivesOut, drivingOut, keepingAway, withOwnTaints } from './with-own-taints.ts';
import { readyCondition, unknownConditions } from './unknown-conditions.ts';

/** Everything that a decision about one node needs. Times are milliseconds. */
export type Observed = {
  readonly node: Stored<corev1.Node>;
  /** When the kubelet was last heard, by status or Lease, and how long it may be silent. */
  readonly heard: number;
  readonly graceMs: number;
  /** All nodes, this one too. */
  readonly nodes: readonly Stored<corev1.Node>[];
  /** Until when no further node of the zone may be emptied; `Infinity`: until something changes. */
  readonly emptyFrom: number;
  readonly pods: readonly Stored<corev1.Pod>[];
};

export type NodeDecision = {
  /** Written to the node's status. */
  readonly conditions: readonly corev1.NodeCondition[] | undefined;
  readonly taints: readonly corev1.Taint[] | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly events: readonly EventNote[];
  /** Ready pods whose node reports nothing. */
  readonly unready: readonly Stored<corev1.Pod>[];
  /** A node begins to be emptied, of which there may be only so many in a time. */
  readonly empties: boolean;
  /** `Infinity`: not before something changes. */
  readonly requeueAfter: number;
};

const BETA_LABELS = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** What is to be done about one node at `now`. */
export function decide(observed: Observed, now: number): NodeDecision {
  const { node, heard, graceMs, pods } = observed;
  const before = node.status?.conditions ?? [];
  const silent = now > heard + graceMs;
  const conditions = silent ? unknownConditions(node, now) : before;
  const { taints, empties, after } = tainting(observed, conditions, now);
  return {
    conditions: conditions === before ? undefined : conditions,
    taints,
    labels: missingLabels(node),
    events: silent && hasReady(before, 'True') ? [lost(node)] : [],
    unready: hasReady(conditions, 'Unknown') ? pods.filter(isReady) : [],
    empties,
    requeueAfter: Math.min(after, silent ? Number.POSITIVE_INFINITY : heard + graceMs + 1 - now),
  };
}

function hasReady(conditions: readonly corev1.NodeCondition[], status: string): boolean {
  return readyCondition(conditions)?.status === status;
}

function lost({ metadata }: Stored<corev1.Node>): EventNote {
  const message = `Node ${metadata.name} status is now: NodeNotReady`;
  return { type: 'Normal', reason: 'NodeNotReady', message };
}

type Tainting = Pick<NodeDecision, 'taints' | 'empties'> & { readonly after: number };

/** The taints that the node should have, and, if one has to wait for others, how long. */
function tainting(observed: Observed, conditions: readonly corev1.NodeCondition[], now: number): Tainting {
  const { node, emptyFrom } = observed;
  const { taints = [], unschedulable = false } = node.spec;
  const out = emptying(observed, conditions);
  const fresh = out !== undefined && !taints.some(drivesOut);
  const waits = fresh && emptyFrom > now;
  const away = keepingAway(conditions, unschedulable);
  const changed = withOwnTaints(taints, out === undefined || waits ? away : [...away, out], now);
  return {
    taints: changed === taints ? undefined : changed,
    empties: fresh && !waits,
    after: waits ? emptyFrom - now : Number.POSITIVE_INFINITY,
  };
}

/** The taint by which the node is to be emptied; none is where all nodes are lost. */
function emptying(
  { node, nodes }: Observed,
  conditions: readonly corev1.NodeCondition[],
): ReturnType<typeof drivingOut> {
  const next = { ...node, status: { ...node.status, conditions } };
  const all = nodes.map((one) => (one.metadata.name === node.metadata.name ? next : one));
  return isAllLost(all) ? undefined : drivingOut(readyCondition(conditions));
}

/** Labels of old that say what those of now say. */
function missingLabels({
  metadata: { labels },
}: Stored<corev1.Node>): Readonly<Record<string, string>> | undefined {
  if (labels === undefined) return undefined;
  const wanted = BETA_LABELS.flatMap(([key, beta]) =>
    Object.hasOwn(labels, key) && labels[beta] !== labels[key] ? [[beta, labels[key] ?? ''] as const] : [],
  );
  return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
}
