import { type Client, isAlreadyExists, keyOf } from '@kubewright/client';
import {
  batchv1,
  controllerOf,
  type corev1,
  defined,
  errorText,
  formatTime,
  type KubeObject,
  type Stored,
} from '@kubewright/kube';
import { confirmLive, type EventNote } from '@kubewright/runtime';
import { isNamespaceTerminating } from '../workloads/pod-control.ts';
import type { CronJobDecision } from './decide/decide.ts';
import { note } from './decide/note.ts';
import { updateChangedStatus } from '../workloads/update-changed-status.ts';

type Job = Stored<batchv1.Job>;

export type Tools = {
  readonly client: Client;
  readonly emit: (about: KubeObject, note: EventNote) => void;
};

/** Carries out a decision, and writes down what came of it, in one update, also where something failed. */
export async function act(
  tools: Tools,
  cronJob: Stored<batchv1.CronJob>,
  decision: CronJobDecision,
): Promise<void> {
  const { old, replaced, events, create } = decision;
  if (create !== undefined && !(await isCurrent(tools, cronJob))) return;
  for (const event of events) tools.emit(cronJob, event);
  const removed = new Set<string>();
  const remove = async (job: Job): Promise<void> => {
    await removeJob(tools, cronJob, job);
    removed.add(job.metadata.uid);
  };
  // That something of the history is left over holds nothing up; it is tried again afterwards.
  let left: { readonly error: unknown } | undefined;
  for (const job of old) await remove(job).catch((error: unknown) => (left = { error }));
  let created: Job | undefined;
  try {
    for (const job of replaced) await remove(job);
    created = await begin(tools, cronJob, decision);
  } finally {
    const status = statusAfter(cronJob, decision, { removed, created });
    await updateChangedStatus(tools.client, batchv1.cronjobs, cronJob, { status });
  }
  if (left !== undefined) throw left.error;
}

/** A cache that shows the past would run a moment twice; where it does, its news is on its way. */
async function isCurrent(tools: Tools, cronJob: Stored<batchv1.CronJob>): Promise<boolean> {
  const live = await confirmLive(tools, batchv1.cronjobs, cronJob);
  return live?.metadata.resourceVersion === cronJob.metadata.resourceVersion;
}

async function removeJob({ client, emit }: Tools, cronJob: Stored<batchv1.CronJob>, job: Job): Promise<void> {
  const { name, uid } = job.metadata;
  const preconditions = { preconditions: { uid } };
  try {
    await client.delete(batchv1.jobs, keyOf(job), { propagationPolicy: 'Background', ...preconditions });
    emit(cronJob, note('Normal', 'SuccessfulDelete', `Deleted job ${name}`));
  } catch (error) {
    emit(cronJob, note('Warning', 'FailedDelete', `Deleted job: ${errorText(error)}`));
    throw error;
  }
}

/** The Job of this moment: the one that was there, or a new one; undefined where another's stands in its place. */
async function begin(
  { client, emit }: Tools,
  cronJob: Stored<batchv1.CronJob>,
  { create, created: before }: CronJobDecision,
): Promise<Job | undefined> {
  if (create === undefined) return before;
  try {
    const created = await client.create(batchv1.jobs, create);
    emit(cronJob, note('Normal', 'SuccessfulCreate', `Created job ${created.metadata.name}`));
    return created;
  } catch (error) {
    if (isAlreadyExists(error)) {
      const other = await client.get(batchv1.jobs, keyOf(create));
      return controllerOf(other)?.uid === cronJob.metadata.uid ? other : undefined;
    }
    if (!isNamespaceTerminating(error))
      emit(cronJob, note('Warning', 'FailedCreate', `Error creating job: ${errorText(error)}`));
    throw error;
  }
}

type Outcome = { readonly removed: ReadonlySet<string>; readonly created: Job | undefined };

function statusAfter(
  { status }: Stored<batchv1.CronJob>,
  { active, scheduled }: CronJobDecision,
  { removed, created }: Outcome,
): batchv1.CronJobStatus {
  const kept = active.references.filter(({ uid = '' }) => !removed.has(uid));
  const references = created === undefined ? kept : [...kept, referenceTo(created)];
  const { active: _before, ...rest } = status ?? {};
  const { lastSuccessfulTime } = active;
  return {
    ...rest,
    ...(references.length === 0 ? {} : { active: references }),
    ...(created === undefined || scheduled === undefined
      ? {}
      : { lastScheduleTime: formatTime(new Date(scheduled)) }),
    ...defined({ lastSuccessfulTime }),
  };
}

function referenceTo({ metadata }: Job): corev1.ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion };
}
