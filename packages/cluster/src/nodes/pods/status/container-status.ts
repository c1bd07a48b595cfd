import { type corev1, defined, formatTime } from '@kubewright/kube';
import type { ContainerState } from '../../runtime/container-runtime.ts';
import type { Observed, SeenContainer } from '../observed.ts';
import { type PodContainer, restarts } from '../pod-containers.ts';
import { type ContainerRecord, NEW_CONTAINER } from '../pod-record.ts';

type Exited = Extract<ContainerState, { type: 'exited' }>;

/** How a container that ended is shown. `containerID` with its scheme. */
export function terminatedOf(state: Exited, containerID: string): corev1.ContainerStateTerminated {
  const { exitCode, reason = exitCode === 0 ? 'Completed' : 'Error', message, startedAt, finishedAt } = state;
  return {
    containerID,
    exitCode,
    reason,
    ...defined({ message }),
    startedAt: timeText(startedAt),
    finishedAt: timeText(finishedAt),
  };
}

/** The end of a container of which nothing is known. */
const LOST: corev1.ContainerStateTerminated = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
};

export type StatusContext = {
  readonly observed: Observed;
  /** Nothing of the pod will run any more. */
  readonly isTerminal: boolean;
};

/** The status of one container. */
export function containerStatus(context: StatusContext, one: PodContainer): corev1.ContainerStatus {
  const { observed } = context;
  const { container } = one;
  const seen = observed.containers.get(container.name);
  const record = observed.record.containers.get(container.name) ?? NEW_CONTAINER;
  return {
    name: container.name,
    ...shownState(context, one, record),
    ...health(one, seen),
    image: container.image ?? '',
    ...ofAttempt(container, record, seen),
    ...volumeMounts(container),
  };
}

type OfAttempt = Pick<
  corev1.ContainerStatus,
  'restartCount' | 'imageID' | 'containerID' | 'resources' | 'allocatedResources'
>;

function ofAttempt(
  { resources = {} }: corev1.Container,
  { attempt }: ContainerRecord,
  seen?: SeenContainer,
): OfAttempt {
  if (attempt === undefined || seen === undefined) return { restartCount: 0, imageID: '' };
  return {
    restartCount: attempt.number,
    imageID: seen.image.type === 'available' ? seen.image.id : '',
    containerID: containerIdOf(attempt, seen),
    resources,
    ...(resources.requests === undefined ? {} : { allocatedResources: resources.requests }),
  };
}

function containerIdOf({ id }: NonNullable<ContainerRecord['attempt']>, { scheme }: SeenContainer): string {
  return `${scheme}://${id}`;
}

type Shown = Pick<corev1.ContainerStatus, 'state' | 'lastState'>;

function shownState(context: StatusContext, one: PodContainer, record: ContainerRecord): Shown {
  const { attempt } = record;
  const seen = context.observed.containers.get(one.container.name);
  const lastState = record.last === undefined ? {} : { terminated: record.last };
  if (seen?.state === undefined || attempt === undefined)
    return { state: neverStarted(context, one, record), lastState };
  const { state } = seen;
  if (state.type === 'running')
    return { state: { running: { startedAt: timeText(state.startedAt) } }, lastState };
  const terminated = terminatedOf(state, containerIdOf(attempt, seen));
  const waiting = comesBack(context, one, state) ? record.waiting : undefined;
  if (waiting !== undefined) return { state: { waiting }, lastState: { terminated } };
  return { state: { terminated }, lastState };
}

function neverStarted(
  { observed, isTerminal }: StatusContext,
  one: PodContainer,
  { waiting }: ContainerRecord,
): corev1.ContainerState {
  if (isTerminal && wasDue(observed, one)) return { terminated: LOST };
  return { waiting: waiting ?? firstWaiting(observed) };
}

function comesBack(
  { observed, isTerminal }: StatusContext,
  { container }: PodContainer,
  state: Exited,
): boolean {
  return !isTerminal && restarts(observed.pod, container, state.exitCode);
}

/** Of a pod that ends, containers that should have run count as lost; those behind an init container never were due. */
function wasDue({ pod, containers }: Observed, { role }: PodContainer): boolean {
  const inits = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== 'Always');
  const passed = ({ name }: corev1.Container): boolean => {
    const state = containers.get(name)?.state;
    return state?.type === 'exited' && state.exitCode === 0;
  };
  return role === 'main' && inits.every(passed);
}

function firstWaiting({ pod }: Observed): corev1.ContainerStateWaiting {
  const hasInit = (pod.spec.initContainers ?? []).length > 0;
  return { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' };
}

function health(
  { role }: PodContainer,
  seen: SeenContainer | undefined,
): { ready: boolean; started: boolean } {
  const state = seen?.state;
  if (state?.type !== 'running')
    return { ready: role === 'init' && state?.type === 'exited' && state.exitCode === 0, started: false };
  return { ready: role !== 'init' && state.started && state.ready, started: state.started };
}

function volumeMounts({
  volumeMounts: mounts = [],
}: corev1.Container): Pick<corev1.ContainerStatus, 'volumeMounts'> {
  if (mounts.length === 0) return {};
  return {
    volumeMounts: mounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true ? { readOnly: true, recursiveReadOnly: 'Disabled' } : {}),
    })),
  };
}

export function timeText(ms: number): string {
  return formatTime(new Date(ms));
}
