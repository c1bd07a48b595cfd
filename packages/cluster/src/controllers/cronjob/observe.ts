import { type Client, ignoreNotFound } from '@kubewright/client';
import { batchv1, type corev1, type Stored } from '@kubewright/kube';
import type { Cache, Request } from '@kubewright/runtime';
import { ownedBy } from '../workloads/watch-controlled.ts';

/** Everything that a decision about one CronJob needs. */
export type Observed = {
  readonly cronJob: Stored<batchv1.CronJob>;
  readonly jobs: readonly Stored<batchv1.Job>[];
  /** Uids of Jobs that are noted as active, and that the server says are not there. */
  readonly gone: ReadonlySet<string>;
};

/** Reads the cache; of noted Jobs that it does not know the server is asked, which knows the youngest. */
export async function observe(cache: Cache, client: Client, request: Request): Promise<Observed | undefined> {
  const cronJob = cache.get(batchv1.cronjobs, request);
  if (cronJob === undefined) return undefined;
  const jobs = ownedBy(cache, batchv1.jobs, cronJob.metadata.uid);
  const known = new Set<string | undefined>(jobs.map(({ metadata }) => metadata.uid));
  const unknown = (cronJob.status?.active ?? []).filter(({ uid }) => !known.has(uid));
  const gone = new Set<string>();
  for (const reference of unknown) {
    const { uid = '' } = reference;
    if ((await liveUid(client, reference)) !== uid) gone.add(uid);
  }
  return { cronJob, jobs, gone };
}

async function liveUid(
  client: Client,
  { namespace, name = '' }: corev1.ObjectReference,
): Promise<string | undefined> {
  const live = await ignoreNotFound(client.get(batchv1.jobs, { namespace, name }));
  return live?.metadata.uid;
}
