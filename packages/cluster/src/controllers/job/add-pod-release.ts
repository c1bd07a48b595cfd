import { type Client, ignoreNotFound } from '@kubewright/client';
import {
  batchv1,
  controllerOf,
  corev1,
  type KubeObject,
  parseApiVersion,
  type Stored,
} from '@kubewright/kube';
import {
  type Cache,
  type CacheEvent,
  type Manager,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { soonest, undoneWait } from '../workloads/undone-wait.ts';
import { ownedBy } from '../workloads/watch-controlled.ts';
import { MANAGED_BY_US } from './constants.ts';
import { isFinished } from './decide/ending.ts';
import { isTracked } from './decide/job-pods.ts';
import { removeTrackingFinalizer } from './remove-tracking-finalizer.ts';

/** Lets pods go that no Job will count any more, because theirs is over, gone, or was taken from them. */
export function addPodRelease(manager: Manager): void {
  const { cache, client } = manager;
  manager.addController({
    name: 'job-pod-release',
    sources: [
      watchKind(corev1.pods, { predicates: [({ object }) => mayBeLost(cache, object)] }),
      watchMapped(batchv1.jobs, (job) => ownedBy(cache, corev1.pods, job.metadata.uid).map(requestFor), {
        predicates: [isLast],
      }),
    ],
    reconciler: {
      async reconcile(request) {
        const pod = cache.get(corev1.pods, request);
        if (pod === undefined || !mayBeLost(cache, pod) || !(await isLost(client, pod))) return {};
        // Under its version: a Job may adopt it at this very moment.
        return soonest(
          undoneWait(pod, await removeTrackingFinalizer(client, pod, pod.metadata.resourceVersion)),
        );
      },
    },
  });
}

function isLast(event: CacheEvent<batchv1.Job>): boolean {
  return event.type === 'Delete' || isFinished(event.object);
}

/** As far as the cache knows. */
function mayBeLost(cache: Cache, pod: Stored<corev1.Pod>): boolean {
  if (!isTracked(pod)) return false;
  const owner = controllerOf(pod);
  if (owner === undefined) return true;
  if (!isJob(owner)) return false;
  const { namespace } = pod.metadata;
  return isDone(cache.get(batchv1.jobs, { namespace, name: owner.name }), owner.uid);
}

/** Reads from the server: how a pod ended is lost when its finalizer is removed too early. */
async function isLost(client: Client, pod: Stored<corev1.Pod>): Promise<boolean> {
  const owner = controllerOf(pod);
  if (owner === undefined) return true;
  const { namespace } = pod.metadata;
  const live = await ignoreNotFound(client.get(batchv1.jobs, { namespace, name: owner.name }));
  return isDone(live, owner.uid);
}

function isDone(job: Stored<batchv1.Job> | undefined, uid: string): boolean {
  if (job === undefined || job.metadata.uid !== uid) return true;
  return (job.spec.managedBy ?? MANAGED_BY_US) === MANAGED_BY_US && isFinished(job);
}

function isJob({ kind, apiVersion }: Pick<KubeObject, 'kind' | 'apiVersion'>): boolean {
  return kind === 'Job' && parseApiVersion(apiVersion).group === 'batch';
}
