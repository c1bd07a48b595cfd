import { type Condition, formatTime, getCondition } from '@kubewright/kube';
import type { PurgeReport, ResourceOutcome } from './purge.ts';

/** A condition of a Namespace; `observedGeneration` is none of it. */
export type NamespaceCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'> & {
  readonly lastTransitionTime: string;
};

type ConditionReason = { readonly reason: string; readonly message: string };

/** What each condition says when nothing is wrong; texts are Kubernetes' own. */
const WELL: Readonly<Record<string, ConditionReason>> = {
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: { reason: 'ContentRemoved', message: 'All content successfully removed' },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
};

/** The conditions after a purge. Those that say what they said before keep their time; the same array if all do. */
export function namespaceConditions(
  before: readonly NamespaceCondition[],
  report: PurgeReport,
  errors: readonly string[],
  now: Date,
): readonly NamespaceCondition[] {
  const faults = faultsOf(report, errors);
  const after = Object.entries(WELL).map(([type, well]) => {
    const fault = faults.get(type);
    const status = fault === undefined ? ('False' as const) : ('True' as const);
    const next = { type, status, ...(fault ?? well), lastTransitionTime: formatTime(now) };
    const old = getCondition(before, type);
    if (old?.status !== status) return next;
    if (old.reason === next.reason && old.message === next.message) return old;
    return { ...next, lastTransitionTime: old.lastTransitionTime ?? next.lastTransitionTime };
  });
  const others = before.filter(({ type }) => !Object.hasOwn(WELL, type));
  const unchanged = after.every((condition) => before.includes(condition as NamespaceCondition));
  return unchanged ? before : [...others, ...(after as readonly NamespaceCondition[])];
}

function faultsOf(
  { discoveryError, outcomes }: PurgeReport,
  errors: readonly string[],
): ReadonlyMap<string, ConditionReason> {
  const faults = new Map<string, ConditionReason>();
  if (discoveryError !== undefined) {
    faults.set('NamespaceDeletionDiscoveryFailure', { reason: 'DiscoveryFailed', message: discoveryError });
  }
  if (errors.length > 0) {
    const message = `Failed to delete all resource types, ${errors.length} remaining: ${errors.toSorted().join(', ')}`;
    faults.set('NamespaceDeletionContentFailure', { reason: 'ContentDeletionFailed', message });
  }
  // While pods keep everything else waiting, what remains is not counted.
  if (outcomes.some(isWaitingPods)) return faults;
  const remaining = outcomes.filter((outcome) => outcome.remaining > 0).map(describe);
  if (remaining.length > 0) {
    const message = `Some resources are remaining: ${remaining.toSorted().join(', ')}`;
    faults.set('NamespaceContentRemaining', { reason: 'SomeResourcesRemain', message });
  }
  const finalizers = totals(outcomes);
  if (finalizers.length > 0) {
    const message = `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`;
    faults.set('NamespaceFinalizersRemaining', { reason: 'SomeFinalizersRemain', message });
  }
  return faults;
}

function isWaitingPods({ ref, remaining }: ResourceOutcome): boolean {
  return ref.group === '' && ref.resource === 'pods' && remaining > 0;
}

function describe({ ref, remaining }: ResourceOutcome): string {
  return `${ref.resource}.${ref.group} has ${remaining} resource instances`;
}

function totals(outcomes: readonly ResourceOutcome[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const [name, count] of outcomes.flatMap(({ finalizers }) => [...finalizers]))
    counts.set(name, (counts.get(name) ?? 0) + count);
  return [...counts].map(([name, count]) => `${name} in ${count} resource instances`).toSorted();
}
