import type { Client } from '@kubewright/client';
import { batchv1, corev1, type KubeObject, type Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { claimAll } from '../workloads/claim-owned.ts';
import { isNamespaceTerminating, type PodControl } from '../workloads/pod-control.ts';
import { slowStart } from '../workloads/slow-start.ts';
import { TRACKING_FINALIZER } from './constants.ts';
import type { JobStep } from './decide/decide.ts';
import { removeTrackingFinalizer } from './remove-tracking-finalizer.ts';

export type Tools = {
  readonly client: Client;
  readonly pods: PodControl;
  readonly emit: (about: KubeObject, note: EventNote) => void;
};

/** Carries out one step. Rejects with its first failure, when all of it was tried. Resolves to the Job as stored, if it wrote it. */
export async function act(
  tools: Tools,
  job: Stored<batchv1.Job>,
  step: JobStep,
): Promise<Stored<batchv1.Job> | undefined> {
  if (step.type === 'status') return writeStatus(tools, job, step);
  await actOnPods(tools, job, step);
  return undefined;
}

type StatusStep = Extract<JobStep, { readonly type: 'status' }>;

/** By update, for which alone the controller's role has the right. */
async function writeStatus(
  { client, emit }: Tools,
  job: Stored<batchv1.Job>,
  { status, events }: StatusStep,
): Promise<Stored<batchv1.Job>> {
  const written = await client.update(batchv1.jobs, { ...job, status }, { subresource: 'status' });
  for (const note of events) emit(job, note);
  return written;
}

async function actOnPods(
  { client, pods }: Tools,
  job: Stored<batchv1.Job>,
  step: Exclude<JobStep, StatusStep>,
): Promise<void> {
  switch (step.type) {
    case 'claim':
      await claimAll(client, corev1.pods, step.claims, {
        ref: batchv1.jobs,
        object: job,
        finalizer: TRACKING_FINALIZER,
      });
      return;
    case 'create':
      return createPods(pods, job, step.pods);
    case 'delete':
      return forEach(step.pods, async (pod) => {
        if (!step.counted) await removeTrackingFinalizer(client, pod);
        await pods.remove(pod, job);
      });
    case 'release':
      return forEach(step.pods, (pod) => removeTrackingFinalizer(client, pod));
  }
}

async function createPods(
  control: PodControl,
  job: Stored<batchv1.Job>,
  pods: readonly corev1.Pod[],
): Promise<void> {
  const left = pods.values();
  await slowStart(pods.length, async () => {
    const { value: pod } = left.next();
    if (pod === undefined) return;
    await control.create(pod, job).catch((error: unknown) => {
      if (!isNamespaceTerminating(error)) throw error;
    });
  });
}

async function forEach<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(items.map(run));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
