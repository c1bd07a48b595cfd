import type { EventNote } from '@kubewright/runtime';
import { type corev1, defined, type Stored } from '@kubewright/kube';
import type { ContainerState, NodeImage } from '../../runtime/container-runtime.ts';
import type { Observed } from '../observed.ts';
import { fieldPathOf, type PodContainer } from '../pod-containers.ts';
import { attemptId, type ContainerRecord, type Wait } from '../pod-record.ts';
import { terminatedOf } from '../status/container-status.ts';
import { again, type Draft, known } from './draft.ts';

/** Kubelet's back-off, of crashes and of pulls alike. */
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 300_000;
/** How long a failed pull is shown as such before it is shown as backing off. */
const PULL_ERROR_MS = 1000;
const CONFIG_RETRY_MS = 2000;

type Exited = Extract<ContainerState, { type: 'exited' }>;

/** Starts a container whose turn it is and that does not run, or says why it waits. `now` is in milliseconds. */
export function startContainer(observed: Observed, draft: Draft, one: PodContainer, now: number): void {
  const { name } = one.container;
  const seen = observed.containers.get(name);
  if (seen === undefined) return;
  const record = known(draft, name);
  const exited = seen.state?.type === 'exited' ? seen.state : undefined;
  const put = (next: ContainerRecord): void => void draft.containers.set(name, next);
  const emit = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
    void draft.events.push({ type, reason, message, fieldPath: fieldPathOf(one) });
  const task: Task = { observed, draft, one, record, now, put, emit };
  if (exited !== undefined && backsOff(task, exited)) return;
  if (!hasImage(task, seen.image)) return;
  if (seen.configError !== undefined) return cannotCreate(task, seen.configError);
  begin(task, exited, seen.scheme);
}

type Task = {
  readonly observed: Observed;
  readonly draft: Draft;
  readonly one: PodContainer;
  readonly record: ContainerRecord;
  readonly now: number;
  readonly put: (next: ContainerRecord) => void;
  readonly emit: (type: EventNote['type'], reason: string, message: string) => void;
};

function backsOff({ observed, draft, one, record, now, put, emit }: Task, exited: Exited): boolean {
  const { crash } = record;
  const left = crash === undefined || isForgotten(crash, now) ? 0 : exited.finishedAt + crash.ms - now;
  if (crash === undefined || left <= 0) return false;
  again(draft, left);
  if (record.waiting?.reason === 'CrashLoopBackOff') return true;
  const { name } = one.container;
  const place = podText(observed.pod);
  emit('Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${place}`);
  const message = `back-off ${durationText(crash.ms)} restarting failed container=${name} pod=${place}`;
  put({ ...record, waiting: { reason: 'CrashLoopBackOff', message } });
  return true;
}

/** A back-off that was not needed for twice the longest one is over. */
function isForgotten({ at }: Wait, now: number): boolean {
  return now - at > 2 * LONGEST_WAIT_MS;
}

function nextWait(wait: Wait | undefined, now: number): Wait {
  const ms =
    wait === undefined || isForgotten(wait, now) ? FIRST_WAIT_MS : Math.min(wait.ms * 2, LONGEST_WAIT_MS);
  return { ms, at: now };
}

function hasImage(task: Task, image: NodeImage): boolean {
  if (image.type === 'unavailable') {
    failPull(task, image.message);
    return false;
  }
  const { record, draft, one, now, put, emit } = task;
  if (image.pullMs === 0 || record.attempt !== undefined) return true;
  const { pullingSince } = record;
  if (pullingSince === undefined) emit('Normal', 'Pulling', `Pulling image "${one.container.image}"`);
  const left = (pullingSince ?? now) + image.pullMs - now;
  if (left <= 0) return true;
  put({ ...record, pullingSince: pullingSince ?? now });
  again(draft, left);
  return false;
}

function failPull({ draft, one, record, now, put, emit }: Task, why: string): void {
  const { image } = one.container;
  const { pullFailure } = record;
  const age = pullFailure === undefined ? Number.POSITIVE_INFINITY : now - pullFailure.at;
  if (pullFailure === undefined || age >= pullFailure.ms) {
    emit('Normal', 'Pulling', `Pulling image "${image}"`);
    emit('Warning', 'Failed', `Failed to pull image "${image}": ${why}`);
    emit('Warning', 'Failed', 'Error: ErrImagePull');
    const waiting = { reason: 'ErrImagePull', message: why };
    put({ ...record, pullFailure: { ...nextWait(pullFailure, now), message: why }, waiting });
    again(draft, PULL_ERROR_MS);
    return;
  }
  if (age < PULL_ERROR_MS) return again(draft, PULL_ERROR_MS - age);
  again(draft, pullFailure.ms - age);
  if (record.waiting?.reason === 'ImagePullBackOff') return;
  const short = `Back-off pulling image "${image}"`;
  emit('Normal', 'BackOff', short);
  emit('Warning', 'Failed', 'Error: ImagePullBackOff');
  const message = `${short}: ErrImagePull: ${pullFailure.message}`;
  put({ ...record, waiting: { reason: 'ImagePullBackOff', message } });
}

function cannotCreate({ draft, record, put, emit }: Task, message: string): void {
  again(draft, CONFIG_RETRY_MS);
  if (record.waiting?.message === message) return;
  emit('Warning', 'Failed', `Error: ${message}`);
  put({ ...record, waiting: { reason: 'CreateContainerConfigError', message } });
}

function begin(
  { observed, draft, one, record, now, put, emit }: Task,
  exited: Exited | undefined,
  scheme: string,
): void {
  const { container } = one;
  const { uid } = observed.record;
  const attempt = record.attempt === undefined ? 0 : record.attempt.number + 1;
  const id = attemptId(uid, container.name, attempt);
  const last =
    exited === undefined || record.attempt === undefined
      ? undefined
      : terminatedOf(exited, `${scheme}://${record.attempt.id}`);
  emit('Normal', 'Pulled', pulledText(container, record, now));
  emit('Normal', 'Created', 'Container created');
  emit('Normal', 'Started', 'Container started');
  draft.actions.push({ type: 'start', container, id, attempt });
  put({
    attempt: { id, number: attempt },
    ...defined({ last }),
    ...(exited === undefined ? {} : { crash: nextWait(record.crash, now) }),
  });
}

function pulledText(
  { image, imagePullPolicy }: corev1.Container,
  { pullingSince }: ContainerRecord,
  now: number,
): string {
  if (pullingSince === undefined && imagePullPolicy !== 'Always')
    return `Container image "${image}" already present on machine and can be accessed by the pod`;
  const took = durationText(now - (pullingSince ?? now));
  return `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: 5000000 bytes.`;
}

/** `name_namespace(uid)`, as kubelet prints pods. */
function podText({ metadata: { name, namespace, uid } }: Stored<corev1.Pod>): string {
  return `${name}_${namespace}(${uid})`;
}

/** As Go prints a duration: `10s`, `1m20s`, `5m0s`, `1.5s`, `20ms`. */
export function durationText(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
