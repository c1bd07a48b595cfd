import { createHash } from 'node:crypto';
import { type corev1, defined, type Stored } from '@kubewright/kube';
import type { ContainerState } from '../runtime/container-runtime.ts';
import { podContainers } from './pod-containers.ts';

/** Grows with each failure in a row. `ms` counts from `at`. */
export type Wait = { readonly ms: number; readonly at: number };

/** Why a container is not there yet, as its status says it. */
type Waiting = { readonly reason: string; readonly message?: string };

/** What a node remembers of one container of a pod. */
export type ContainerRecord = {
  /** The current attempt, or the last; undefined before the first. */
  readonly attempt?: { readonly id: string; readonly number: number };
  /** How the attempt before this one ended. */
  readonly last?: corev1.ContainerStateTerminated;
  readonly waiting?: Waiting;
  /** Before the next restart. */
  readonly crash?: Wait;
  /** Before the next pull, and what came of the last one. */
  readonly pullFailure?: Wait & { readonly message: string };
  /** A pull is under way since. */
  readonly pullingSince?: number;
  /** It was asked to end, with this deadline. */
  readonly stopBy?: number;
};

/** Why a pod is to end without having been deleted. */
export type PodEnd = {
  readonly reason: string;
  readonly message: string;
  /** The node does it to save itself: the pod gets no time, and the condition `DisruptionTarget`. */
  readonly isEviction?: boolean;
};

/**
 * What a node remembers of a pod, beside what the API and the runtimes know. It may be lost at any time: what is needed
 * to go on is read from the pod's status.
 */
export type PodRecord = {
  readonly uid: string;
  /** When the node first saw the pod. */
  readonly since: number;
  readonly ip: string;
  readonly containers: ReadonlyMap<string, ContainerRecord>;
  readonly end?: PodEnd;
  /** What keeps it from starting, as last reported. */
  readonly obstacle?: string;
};

export const NEW_CONTAINER: ContainerRecord = {};

/** The id of an attempt: a function of the pod alone, so that a restarted node finds its containers again. */
export function attemptId(podUid: string, container: string, attempt: number): string {
  return createHash('sha256').update(`${podUid}/${container}/${attempt}`).digest('hex');
}

/** What can be known of a pod from its status. */
export function recordOf(pod: Stored<corev1.Pod>, now: number, ip: string): PodRecord {
  const statuses = statusesOf(pod);
  const containers = new Map<string, ContainerRecord>();
  for (const { container } of podContainers(pod)) {
    const status = statuses.find(({ name }) => name === container.name);
    if (status !== undefined) containers.set(container.name, containerRecordOf(status));
  }
  const { uid } = pod.metadata;
  return { uid, since: now, ip, containers };
}

export function statusesOf({ status = {} }: Stored<corev1.Pod>): readonly corev1.ContainerStatus[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

function containerRecordOf({ state, lastState, ...status }: corev1.ContainerStatus): ContainerRecord {
  const last = lastState?.terminated;
  const number = status.restartCount;
  // While one waits for its restart, what is shown as the last state is the last attempt.
  if (state?.waiting !== undefined)
    return last?.containerID === undefined
      ? NEW_CONTAINER
      : { attempt: { id: withoutScheme(last.containerID), number } };
  const { containerID = '' } = status;
  if (containerID === '') return NEW_CONTAINER;
  return { attempt: { id: withoutScheme(containerID), number }, ...defined({ last }) };
}

/** The last attempt of a container in a status, as it ended; undefined if it did not. */
export function shownEnd(
  pod: Stored<corev1.Pod>,
  id: string,
  readTime: (text: string | undefined) => number,
): ContainerState | undefined {
  for (const { state, lastState } of statusesOf(pod)) {
    const ended = [state?.terminated, lastState?.terminated].find(
      (one) => one?.containerID !== undefined && withoutScheme(one.containerID) === id,
    );
    if (ended === undefined) continue;
    const { startedAt, finishedAt, exitCode, reason, message } = ended;
    return {
      type: 'exited',
      startedAt: readTime(startedAt),
      finishedAt: readTime(finishedAt),
      exitCode,
      ...defined({ reason, message }),
    };
  }
  return undefined;
}

function withoutScheme(id: string): string {
  return id.slice(id.indexOf('://') + (id.includes('://') ? 3 : 0));
}
