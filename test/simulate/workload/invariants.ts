import type { History, Written } from '@kubewright/cluster';
import type { appsv1, batchv1, corev1 } from '@kubewright/kube';

type Kinds = {
  readonly pods: corev1.Pod;
  readonly statefulsets: appsv1.StatefulSet;
  readonly jobs: batchv1.Job;
};
type Past = Pick<History, 'all'>;
type WrittenAs<R extends keyof Kinds> = Written & { readonly object: Kinds[R] };

/** The writes of one resource, with their objects as they are. */
function writesOf<R extends keyof Kinds>(history: Past, resource: R): readonly WrittenAs<R>[] {
  return history.all.filter((write): write is WrittenAs<R> => write.resource === resource);
}

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
    const { name = '', ownerReferences } = object.metadata;
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
function boundOnce(history: History): string | undefined {
  const nodes = new Map<string, string>();
  for (const { object, at } of writesOf(history, 'pods')) {
    const { uid = '', name } = object.metadata;
    const node = object.spec.nodeName ?? '';
    const before = nodes.get(uid) ?? '';
    if (before !== '' && node !== before) return `at ${at} ${name} went from ${before} to ${node}`;
    nodes.set(uid, node);
  }
  return undefined;
}

/** What a Job has counted it takes not back, and it counts no pod twice. */
function countedOnce(history: History): string | undefined {
  const counted = new Map<string, number>();
  for (const { object, at } of writesOf(history, 'jobs')) {
    const { uid = '', name } = object.metadata;
    const { succeeded = 0, failed = 0 } = object.status ?? {};
    const count = succeeded + failed;
    if (count < (counted.get(uid) ?? 0)) return `at ${at} ${name} took back what it had counted`;
    if (count > endedBefore(at, uid, history)) return `at ${at} ${name} counted a pod twice`;
    counted.set(uid, count);
  }
  return undefined;
}

/** Pods of a Job that had come to their end until then, whether by themselves or because somebody deleted them. */
function endedBefore(at: number, job: string, history: History): number {
  const ended = writesOf(history, 'pods')
    .filter((write) => write.at <= at && hasEnded(write))
    .filter(({ object }) => object.metadata.ownerReferences?.some(({ uid }) => uid === job));
  return new Set(ended.map(({ object }) => object.metadata.uid)).size;
}

function hasEnded({
  type,
  object: { metadata, status },
}: Written & { readonly object: corev1.Pod }): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return isOver || type === 'DELETED' || metadata.deletionTimestamp !== undefined;
}

export const WORKLOAD_INVARIANTS = {
  'ordered sets are born in order': ordered,
  'a pod is bound once': boundOnce,
  'a Job counts once': countedOnce,
};
