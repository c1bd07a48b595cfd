import type { Written } from '@kubewright/cluster';
import type { autoscalingv2, corev1 } from '@kubewright/kube';
import { JOB_INVARIANTS } from './job-invariants.ts';
import { isOf, type Past, writesOf } from './writes-of.ts';

/** Ready, and to stay. */
const isReady = ({ metadata, status }: corev1.Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');

/** The pods of one ordered set, as they come and go. */
class Row {
  readonly #pods = new Map<number, corev1.Pod>();
  /** So many of the first were ready at once, at some time since each of them was born last. */
  #reached = 0;

  /** Whether all that come before were ready. */
  born(ordinal: number, pod: corev1.Pod): boolean {
    const isInTurn = this.#reached >= ordinal;
    this.#reached = Math.min(this.#reached, ordinal);
    this.changed(ordinal, pod);
    return isInTurn;
  }

  /** `pod` is undefined when it is gone. */
  changed(ordinal: number, pod: corev1.Pod | undefined): void {
    if (pod === undefined) this.#pods.delete(ordinal);
    else this.#pods.set(ordinal, pod);
    let ready = 0;
    for (let next = this.#pods.get(0); next !== undefined && isReady(next); next = this.#pods.get(ready))
      ready++;
    this.#reached = Math.max(this.#reached, ready);
  }
}

/**
 * Pods of an ordered set are born one after another: each when those before it were all there and ready. That they are
 * so still, nobody can promise whose watch is late: somebody else may just have deleted one, and kube-controller-manager
 * goes by its cache, too. But which pods it made itself a controller knows: it saw them ready that were made last.
 */
export function ordered(history: Past): string | undefined {
  const sets = writesOf(history, 'statefulsets')
    .filter(({ object }) => object.spec?.podManagementPolicy === 'OrderedReady')
    .map(({ object }) => object.metadata.uid);
  const rows = new Map<string, Row>();
  for (const { type, object, at } of writesOf(history, 'pods')) {
    const { name, ownerReferences } = object.metadata;
    const set = ownerReferences?.find(({ uid }) => sets.includes(uid));
    if (set === undefined) continue;
    const row = rows.get(set.uid) ?? new Row();
    rows.set(set.uid, row);
    const ordinal = Number(name.slice(set.name.length + 1));
    if (type !== 'ADDED') row.changed(ordinal, type === 'DELETED' ? undefined : object);
    else if (!row.born(ordinal, object)) return `at ${at} ${name} was born before its turn`;
  }
  return undefined;
}

/** A pod goes to one node, and stays there. */
function boundOnce(history: Past): string | undefined {
  const nodes = new Map<string, string>();
  for (const { object, at } of writesOf(history, 'pods')) {
    const { uid, name } = object.metadata;
    const node = object.spec.nodeName ?? '';
    const before = nodes.get(uid) ?? '';
    if (before !== '' && node !== before) return `at ${at} ${name} went from ${before} to ${node}`;
    nodes.set(uid, node);
  }
  return undefined;
}

/** What is within the bounds of its autoscaler stays there; what people made too big or too small, it brings there. */
export function bounded(history: Past): string | undefined {
  const bounds = new Map(
    writesOf(history, 'horizontalpodautoscalers').map(({ object: { spec } }) => [
      spec.scaleTargetRef.name,
      spec,
    ]),
  );
  const within = new Set<string>();
  for (const { object, at } of writesOf(history, 'deployments')) {
    const { uid, name } = object.metadata;
    const { replicas = 1 } = object.spec ?? {};
    if (isWithin(bounds.get(name), replicas)) within.add(uid);
    else if (within.has(uid)) return `at ${at} ${name} was scaled to ${replicas}`;
  }
  return undefined;
}

function isWithin(bounds: autoscalingv2.HorizontalPodAutoscalerSpec | undefined, replicas: number): boolean {
  return bounds === undefined || (replicas >= (bounds.minReplicas ?? 1) && replicas <= bounds.maxReplicas);
}

/** An address that is reported ready is that of a pod that was ready at some time. */
export function readyAddresses(history: Past): string | undefined {
  const ready = new Set<string>();
  for (const write of history.all) {
    if (isOf('pods', write) && isReady(write.object)) ready.add(write.object.metadata.uid ?? '');
    const early = readyTargets(write).find(({ uid = '' }) => !ready.has(uid));
    if (early !== undefined) return `at ${write.at} ${early.name} was reported ready`;
  }
  return undefined;
}

function readyTargets(write: Written): readonly corev1.ObjectReference[] {
  if (isOf('endpoints', write))
    return (write.object.subsets ?? []).flatMap(({ addresses = [] }) =>
      addresses.flatMap(({ targetRef }) => targetRef ?? []),
    );
  if (!isOf('endpointslices', write)) return [];
  return (write.object.endpoints ?? []).flatMap(({ conditions, targetRef }) =>
    conditions?.ready === true && targetRef !== undefined ? [targetRef] : [],
  );
}

export const WORKLOAD_INVARIANTS = {
  'ordered sets are born in order': ordered,
  'a pod is bound once': boundOnce,
  ...JOB_INVARIANTS,
  'an autoscaler keeps to its bounds': bounded,
  'ready addresses are those of pods that were ready': readyAddresses,
};
