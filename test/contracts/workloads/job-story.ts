import assert from 'node:assert/strict';
import { type Client, createClient, ignoreNotFound } from '@kubewright/client';
import { batchv1, compareText, corev1, formatTime, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';

let told = 0;

export type End = {
  readonly phase: 'Succeeded' | 'Failed';
  readonly exitCode?: number;
  readonly conditions?: readonly corev1.PodCondition[];
  /** Seconds ago; default long ago, so that no back-off keeps the next pod waiting. */
  readonly ago?: number;
};

/** A namespace with one Job `work`, whose pods end as the story says. */
export class JobStory {
  readonly client: Client;
  readonly namespace: string;

  private constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  static async begin(transport: Transport): Promise<JobStory> {
    const client = createClient(transport);
    const name = `jobs-${++told}`;
    await client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: {},
    });
    return new JobStory(client, name);
  }

  key(name = 'work'): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }

  /** Makes the Job. `pod` is added to the pods' spec. */
  run(spec: Partial<batchv1.JobSpec> = {}, pod: Partial<corev1.PodSpec> = {}): Promise<batchv1.Job> {
    const template = {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work:1' }], ...pod },
    } as corev1.PodTemplateSpec;
    return this.client.create(batchv1.jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'work', namespace: this.namespace },
      spec: { template, ...spec },
    });
  }

  async change(spec: Partial<batchv1.JobSpec>): Promise<void> {
    await this.client.patch(batchv1.jobs, this.key(), { type: 'merge', body: { spec } });
  }

  async job(isSo: (job: batchv1.Job) => boolean): Promise<batchv1.Job> {
    const found = await waitForObject(this.client, batchv1.jobs, this.key(), (live) =>
      live === undefined ? false : isSo(live),
    );
    assert(found !== undefined, 'the Job is gone');
    return found;
  }

  /** Until the Job is Complete or Failed. */
  finished(): Promise<batchv1.Job> {
    return this.job(({ status }) =>
      (status?.conditions ?? []).some(
        ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
      ),
    );
  }

  async pods(): Promise<readonly corev1.Pod[]> {
    const { items } = await this.client.list(corev1.pods, { namespace: this.namespace });
    return [...items].sort((a, b) => indexOf(a) - indexOf(b) || compareText(nameOf(a), nameOf(b)));
  }

  /** Pods that are neither over nor being deleted, once there are `count` of them and the Job has counted them. */
  async active(count: number): Promise<readonly corev1.Pod[]> {
    await this.job(({ status }) => (status?.active ?? 0) === count);
    const pods = await this.pods();
    return pods.filter(isActive);
  }

  /** The pod that takes the place of one that is over: of its index, if it has one. */
  async successor(pod: corev1.Pod | undefined): Promise<corev1.Pod> {
    const made = Number(pod?.metadata.resourceVersion);
    for (;;) {
      const found = (await this.pods()).find(
        (other) =>
          Number(other.metadata.resourceVersion) > made &&
          nameOf(other) !== nameOf(pod) &&
          isActive(other) &&
          indexOf(other) === indexOf(pod as corev1.Pod),
      );
      if (found !== undefined) return found;
    }
  }

  /** What a node tells of a pod that is over. */
  async end(
    pod: corev1.Pod | undefined,
    { phase, exitCode, conditions = [], ago = 3600 }: End,
  ): Promise<void> {
    assert(pod !== undefined, 'there is no such pod');
    const time = formatTime(new Date(Date.now() - ago * 1000));
    const ready = { type: 'Ready', status: 'False', lastTransitionTime: time };
    const code = exitCode ?? (phase === 'Failed' ? 1 : 0);
    const container = {
      name: 'main',
      image: 'work:1',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: code, startedAt: time, finishedAt: time } },
    };
    const body = { status: { phase, conditions: [ready, ...conditions], containerStatuses: [container] } };
    await this.client.patch(
      corev1.pods,
      this.key(nameOf(pod)),
      { type: 'merge', body },
      { subresource: 'status' },
    );
  }

  async setStatus(pod: corev1.Pod | undefined, status: Partial<corev1.PodStatus>): Promise<void> {
    const body = { status };
    const key = this.key(nameOf(pod));
    await this.client.patch(corev1.pods, key, { type: 'merge', body }, { subresource: 'status' });
  }

  remove(pod: corev1.Pod | undefined, gracePeriodSeconds?: number): Promise<unknown> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    return ignoreNotFound(this.client.delete(corev1.pods, this.key(nameOf(pod)), options));
  }

  /** Reasons and messages of the events about the Job, once `reason` is among them; names of pods are left out. */
  async events(reason: string): Promise<readonly string[]> {
    for (;;) {
      const { items } = await this.client.list(corev1.events, { namespace: this.namespace });
      const about = items.filter(({ involvedObject }) => involvedObject.kind === 'Job');
      if (about.some((event) => event.reason === reason))
        return about
          .map(({ reason: why, message = '' }) => `${why}: ${message.replaceAll(/(?<=pod: work-).*/g, '…')}`)
          .sort();
    }
  }
}

export function conditionsOf({ status }: batchv1.Job): readonly (readonly (string | undefined)[])[] {
  return (status?.conditions ?? []).map(({ type, status: holds, reason, message }) => [
    type,
    holds,
    reason,
    message,
  ]);
}

function isActive({ metadata, status }: corev1.Pod): boolean {
  return metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status?.phase ?? '');
}

function nameOf(pod: corev1.Pod | undefined): string {
  assert(pod !== undefined, 'there is no such pod');
  return pod.metadata.name ?? '';
}

export function indexOf({ metadata }: corev1.Pod): number {
  return Number(metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? -1);
}
