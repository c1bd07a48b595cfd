import type { History, Written } from '@kubewright/cluster';
import type { appsv1, batchv1, corev1 } from '@kubewright/kube';

type Kinds = {
  readonly pods: corev1.Pod;
  readonly statefulsets: appsv1.StatefulSet;
  readonly jobs: batchv1.Job;
};
type WrittenAs<R extends keyof Kinds> = Written & { readonly object: Kinds[R] };

/** The writes of one resource, with their objects as they are. */
function writesOf<R extends keyof Kinds>(history: History, resource: R): readonly WrittenAs<R>[] {
  return history.all.filter((write): write is WrittenAs<R> => write.resource === resource);
}

const isReady = (pod: corev1.Pod | undefined): boolean =>
  (pod?.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');

/** Pods of an ordered set are born one after another: each when those before it are there and ready. */
function ordered(history: History): string | undefined {
  const sets = writesOf(history, 'statefulsets')
    .filter(({ object }) => object.spec?.podManagementPolicy === 'OrderedReady')
    .map(({ object }) => object.metadata.uid);
  const pods = new Map<string, corev1.Pod>();
  for (const { type, object, at } of writesOf(history, 'pods')) {
    const { name = '', ownerReferences } = object.metadata;
    const set = ownerReferences?.find(({ uid }) => sets.includes(uid))?.name;
    const early = type === 'ADDED' && set !== undefined ? notReadyBefore(name, set, pods) : undefined;
    if (early !== undefined) return `at ${at} ${name} was born before ${early} was ready`;
    if (type === 'DELETED') pods.delete(name);
    else pods.set(name, object);
  }
  return undefined;
}

function notReadyBefore(
  name: string,
  set: string,
  pods: ReadonlyMap<string, corev1.Pod>,
): string | undefined {
  const ordinal = Number(name.slice(set.length + 1));
  const before = Array.from({ length: ordinal }, (_, index) => `${set}-${index}`);
  return before.find((one) => !isReady(pods.get(one)));
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
