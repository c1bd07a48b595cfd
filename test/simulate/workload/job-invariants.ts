import { controllerOf } from '@kubewright/kube';
import { type Past, type WrittenAs, writesOf } from './writes-of.ts';

type JobWrite = WrittenAs<'jobs'>;

/** What a Job has counted it takes not back, and it counts no pod twice. */
function countedOnce(history: Past): string | undefined {
  const counted = new Map<string, number>();
  for (const { object, at } of writesOf(history, 'jobs')) {
    const { uid, name } = object.metadata;
    const { succeeded = 0, failed = 0 } = object.status ?? {};
    const count = succeeded + failed;
    if (count < (counted.get(uid) ?? 0)) return `at ${at} ${name} took back what it had counted`;
    if (count > endedBefore(at, uid, history)) return `at ${at} ${name} counted a pod twice`;
    counted.set(uid, count);
  }
  return undefined;
}

/** Pods of a Job that had come to their end until then, whether by themselves or because somebody deleted them. */
function endedBefore(at: number, job: string, history: Past): number {
  const ended = writesOf(history, 'pods')
    .filter((write) => write.at <= at && hasEnded(write))
    .filter(({ object }) => object.metadata.ownerReferences?.some(({ uid }) => uid === job));
  return new Set(ended.map(({ object }) => object.metadata.uid)).size;
}

function hasEnded({ type, object: { metadata, status } }: WrittenAs<'pods'>): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return isOver || type === 'DELETED' || metadata.deletionTimestamp !== undefined;
}

/** Whatever comes of it then. */
function isOver({ type, object: { metadata, status } }: JobWrite): boolean {
  const ended = status?.conditions?.some(
    ({ type: end, status: holds }) => (end === 'Complete' || end === 'Failed') && holds === 'True',
  );
  return ended === true || type === 'DELETED' || metadata.deletionTimestamp !== undefined;
}

/**
 * A Job with a time to live is not taken away before it is over. When it goes after that is a matter of clocks, which
 * may be wrong.
 */
export function goneAfterItsEnd(history: Past): string | undefined {
  const ended = new Set<string>();
  for (const write of writesOf(history, 'jobs')) {
    const { metadata, spec } = write.object;
    const { uid, name } = metadata;
    if (spec.ttlSecondsAfterFinished === undefined || ended.has(uid)) continue;
    const isLeaving = write.type === 'DELETED' || metadata.deletionTimestamp !== undefined;
    if (isLeaving) return `at ${write.at} ${name} went before its end`;
    if (isOver(write)) ended.add(uid);
  }
  return undefined;
}

/** The Jobs of CronJobs, by whom they are made. */
function jobsOfCronJobs(history: Past): readonly (JobWrite & { readonly owner: string })[] {
  return writesOf(history, 'jobs').flatMap((write) => {
    const { kind, uid = '' } = controllerOf(write.object) ?? {};
    return kind === 'CronJob' ? [{ ...write, owner: uid }] : [];
  });
}

/** Of a CronJob that forbids it, or replaces what still runs, no two Jobs run at once. */
export function oneAtATime(history: Past): string | undefined {
  const lenient = writesOf(history, 'cronjobs')
    .filter(({ object }) => object.spec.concurrencyPolicy === 'Allow')
    .map(({ object }) => object.metadata.uid);
  const running = new Map<string, ReadonlySet<string>>();
  for (const write of jobsOfCronJobs(history)) {
    const { uid, name } = write.object.metadata;
    const others = new Set([...(running.get(write.owner) ?? [])].filter((one) => one !== uid));
    if (isOver(write)) running.set(write.owner, others);
    else if (others.size === 0 || lenient.includes(write.owner)) running.set(write.owner, others.add(uid));
    else return `at ${write.at} ${name} ran beside another`;
  }
  return undefined;
}

/** The name of a Job is that of its moment: it is made once, though it may be long gone when somebody looks again. */
export function ranOnce(history: Past): string | undefined {
  const made = new Set<string>();
  for (const { type, owner, object, at } of jobsOfCronJobs(history)) {
    const moment = `${owner} ${object.metadata.name}`;
    if (type !== 'ADDED') continue;
    if (made.has(moment)) return `at ${at} ${object.metadata.name} was made again`;
    made.add(moment);
  }
  return undefined;
}

export const JOB_INVARIANTS = {
  'a Job counts once': countedOnce,
  'a Job that may stay a while goes after its end': goneAfterItsEnd,
  'a CronJob has one Job at a time': oneAtATime,
  'a moment runs once': ranOnce,
};
