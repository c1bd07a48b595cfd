import { ignoreNotFound } from '@kubewright/client';
import { batchv1, parseTime, type Stored } from '@kubewright/kube';
import { type Manager, watchKind } from '@kubewright/runtime';

/** The service account of `kube-system` that it acts as. */
export const TTL_AFTER_FINISHED_CONTROLLER = 'ttl-after-finished-controller';

/** Deletes Jobs `ttlSecondsAfterFinished` after they are over. */
export function addTtlAfterFinishedController(manager: Manager): void {
  const { cache, client, clock } = manager;
  manager.addController({
    name: 'ttl-after-finished',
    sources: [watchKind(batchv1.jobs, { predicates: [({ object }) => expiry(object) !== undefined] })],
    reconciler: {
      async reconcile(request) {
        const left = timeLeft(cache.get(batchv1.jobs, request), clock.now());
        if (left === undefined) return {};
        if (left > 0) return { requeueAfter: left };
        // The cache may lag behind an update that gave it more time.
        const live = await ignoreNotFound(client.get(batchv1.jobs, request));
        const leftNow = timeLeft(live, clock.now());
        if (live === undefined || leftNow === undefined) return {};
        if (leftNow > 0) return { requeueAfter: leftNow };
        const { uid } = live.metadata;
        await ignoreNotFound(
          client.delete(batchv1.jobs, request, {
            propagationPolicy: 'Foreground',
            preconditions: { uid },
          }),
        );
        return {};
      },
    },
  });
}

/** Milliseconds; undefined for a Job that stays. */
function timeLeft(job: Stored<batchv1.Job> | undefined, now: number): number | undefined {
  const end = job === undefined ? undefined : expiry(job);
  return end === undefined ? undefined : end - now;
}

function expiry({ metadata, spec, status }: Stored<batchv1.Job>): number | undefined {
  const { ttlSecondsAfterFinished: ttl } = spec;
  const end = status?.conditions?.find(
    ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
  );
  const time = end?.lastTransitionTime;
  if (ttl === undefined || typeof time !== 'string' || metadata.deletionTimestamp !== undefined)
    return undefined;
  return parseTime(time).getTime() + ttl * 1000;
}
