import { ignoreNotFound, keyOf, type Ref } from '@kubewright/client';
import { controllerOf, type KubeObject, sleep, type Stored } from '@kubewright/kube';
import { decisions, type Io, type Manager, type Steps, watchKind } from '@kubewright/runtime';
import { CAPTURE_SCHEDULES } from '../api/capture-schedule.ts';
import { MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { VOLUME_RESTORE_REQUESTS } from '../api/volume-restore-request.ts';
import { isFinished } from '../requests/finish.ts';
import { foundIn, readLive } from '../requests/read-live.ts';
import type { Settings } from '../settings.ts';
import { decide, type Expirable, type ExpiryAction } from './decide.ts';

/** Between two deletes of a kind: the garbage collector deletes some objects more for each. */
const PACE_MS = 20;

/** Deletes finished requests after their TTL, on the leader only. Annotations are ignored. */
export function addExpiry(manager: Manager, { requestTtl }: Settings): void {
  addExpiryOf(manager, MANIFEST_CAPTURE_REQUESTS, requestTtl);
  addExpiryOf(manager, VOLUME_CAPTURE_REQUESTS, requestTtl);
  addExpiryOf(manager, VOLUME_RESTORE_REQUESTS, requestTtl);
}

function addExpiryOf<T extends KubeObject & Pick<Expirable, 'status'>>(
  manager: Manager,
  ref: Ref<T> & { readonly resource: string },
  ttl: number | undefined,
): void {
  type Observed = Stored<T> & Expirable;
  const steps: Steps<Observed, ExpiryAction<T>, never, T> = {
    async observe(request, io: Io) {
      const cached = io.cache.get(ref, request);
      if (cached === undefined || !isFinished(cached.status ?? {}) || isOfSchedule(cached)) return undefined;
      const isDue = decide<T>(cached, ttl, new Date(io.clock.now())).action !== undefined;
      // Read again before the delete: the cache may be stale, and the name may belong to a new request.
      return isDue ? foundIn(await readLive(io, ref, request)) : cached;
    },
    decide: (request, now) => decide<T>(request, ttl, now),
    act: (action, io) => deleteRequest(ref, action.request, io),
    subject: (request) => request,
  };
  manager.addController({
    name: `expiry-${ref.resource}`,
    reconciler: decisions(
      manager,
      ref,
      steps as Steps<Observed, ExpiryAction<T>, NonNullable<T['status']>, T>,
    ),
    sources: [watchKind(ref, { predicates: [({ object }) => isFinished(object.status ?? {})] })],
  });
}

/** A schedule says itself how long its requests are kept. */
function isOfSchedule(request: KubeObject): boolean {
  return controllerOf(request)?.kind === CAPTURE_SCHEDULES.kind;
}

/** Deletes exactly the request that was read, never another one of the same name. One worker: no faster than the pace. */
async function deleteRequest<T extends KubeObject>(
  ref: Ref<T>,
  { metadata, ...request }: Stored<T>,
  { client, clock, signal }: Io,
): Promise<'done'> {
  const { uid, resourceVersion } = metadata;
  const options = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' } as const;
  await ignoreNotFound(client.delete(ref, keyOf({ ...request, metadata }), options));
  await sleep(clock, PACE_MS, signal);
  return 'done';
}
