import type { Ref } from '@kubewright/client';
import {
  type Condition,
  corev1,
  getCondition,
  KubeError,
  type KubeObject,
  parseTime,
  type Stored,
} from '@kubewright/kube';
import { formatLabelSelector, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { type Io, isControlledBy, type Request } from '@kubewright/runtime';
import { ANNOTATIONS } from '../api/annotations.ts';
import { CAPTURE_SCHEDULES, type CaptureSchedule } from '../api/capture-schedule.ts';
import { type CaptureLabels, MANIFEST_CAPTURE_REQUESTS } from '../api/manifest-capture-request.ts';
import { VOLUME_CAPTURE_REQUESTS } from '../api/volume-capture-request.ts';
import { CHECK_SCHEDULE_WEBHOOK } from '../authority/author-webhooks.ts';
import { readAuthor } from '../authority/read-author.ts';
import { foundIn, readLive } from '../requests/read-live.ts';
import { clockOf, dueRun } from './due-run.ts';
import type { MadeRequest, ObservedSchedule } from './observed-schedule.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type RequestObject = KubeObject & {
  readonly status?: { readonly completionTimestamp?: string; readonly conditions?: readonly Condition[] };
};

/**
 * A schedule and the requests that it has made. These come from the cache: their names say of which run they are, so that
 * one that the cache does not have yet is not made twice.
 */
export async function observe(key: Request, io: Io): Promise<ObservedSchedule | undefined> {
  if (io.cache.get(CAPTURE_SCHEDULES, key) === undefined) return undefined;
  const schedule = foundIn(await readLive(io, CAPTURE_SCHEDULES, key));
  if (schedule === undefined) return undefined;
  const requests = [
    ...madeBy(schedule, MANIFEST_CAPTURE_REQUESTS, 'ManifestCaptureRequest', io),
    ...madeBy(schedule, VOLUME_CAPTURE_REQUESTS, 'VolumeCaptureRequest', io),
  ];
  const author = await readAuthor(schedule, io, CHECK_SCHEDULE_WEBHOOK);
  return { schedule, author, requests, claims: await claimsOf(schedule, io) };
}

function madeBy<T extends RequestObject>(
  schedule: CaptureSchedule,
  ref: Ref<T>,
  kind: MadeRequest['kind'],
  { cache }: Io,
): readonly MadeRequest[] {
  const { namespace } = schedule.metadata;
  return cache.list(ref, { namespace }).flatMap((request): readonly MadeRequest[] => {
    const { name, uid, annotations = {}, deletionTimestamp } = request.metadata;
    const at = annotations[ANNOTATIONS.scheduledAt];
    if (!isControlledBy(request, schedule) || at === undefined || deletionTimestamp !== undefined) return [];
    return [{ kind, name, uid, time: parseTime(at).getTime(), state: stateOf(request) }];
  });
}

function stateOf({ status = {} }: RequestObject): MadeRequest['state'] {
  if (status.completionTimestamp === undefined) return 'running';
  return getCondition(status.conditions, 'Ready')?.status === 'True' ? 'succeeded' : 'failed';
}

/** Read only for a run that is due. */
async function claimsOf(
  schedule: CaptureSchedule,
  { client, clock, signal }: Io,
): Promise<readonly Claim[] | { readonly problem: string }> {
  const { volumes, suspend } = schedule.spec;
  const times = clockOf(schedule);
  if (volumes === undefined || suspend || 'problem' in times) return [];
  if (dueRun(schedule, times, clock.now()) === undefined) return [];
  const labelSelector = selectorOf(volumes.labelSelector);
  if (typeof labelSelector !== 'string') return labelSelector;
  const { namespace } = schedule.metadata;
  const { items } = await client.list(corev1.persistentvolumeclaims, { namespace, labelSelector, signal });
  return items.filter(({ status }) => status?.phase === 'Bound');
}

function selectorOf(labels: CaptureLabels = {}): string | { readonly problem: string } {
  try {
    return formatLabelSelector(selectorFromLabelSelector(labels));
  } catch (error) {
    if (error instanceof KubeError) return { problem: `labelSelector: ${error.message}` };
    throw error;
  }
}
