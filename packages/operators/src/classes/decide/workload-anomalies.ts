import { DEGRADED_REASONS, type DegradedReason, ANNOTATIONS } from '../api.ts';
import type { Settings } from '../settings.ts';
import type { DesiredWorkload } from '../templates/rendering.ts';
import type { Readiness } from './knative-readiness.ts';
import type { LiveDeployment, LivePod, LiveStatefulSet, LiveWorkload } from './observed-class.ts';
import { secondsSince } from './seconds-since.ts';

/** An anomaly of live objects. With `wait`, it counts only if it lasts for that many more seconds. */
export type Anomaly = {
  readonly reason: DegradedReason;
  readonly message: string;
  /** The object concerned, by name. */
  readonly workload: string;
  readonly wait: number;
};

/** The most severe first. */
export function byWeight(a: Pick<Anomaly, 'reason'>, b: Pick<Anomaly, 'reason'>): number {
  return DEGRADED_REASONS.indexOf(a.reason) - DEGRADED_REASONS.indexOf(b.reason);
}

type Found = Omit<Anomaly, 'workload'>;
type ContainerStatus = NonNullable<NonNullable<LivePod['status']>['containerStatuses']>[number];

/** The anomalies of a Deployment, or Service of Knative, and of the pods of its current template. */
export function workloadAnomalies(
  desired: DesiredWorkload,
  { live, readiness }: { readonly live: LiveWorkload | LiveStatefulSet; readonly readiness: Readiness },
  pods: readonly LivePod[],
  settings: Settings,
  now: Date,
): readonly Anomaly[] {
  const workload = desired.metadata.name ?? '';
  const hash = desired.spec?.template?.metadata?.annotations?.[ANNOTATIONS.templateHash];
  const current = pods.filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined &&
      metadata.labels?.['app'] === workload &&
      metadata.annotations?.[ANNOTATIONS.templateHash] === hash,
  );
  const found = [
    ...(live.kind === 'Deployment' ? deploymentAnomalies(live, settings, now) : revisionAnomalies(readiness)),
    ...current.flatMap((pod) => podAnomalies(pod, settings, now)),
  ];
  return found.map((each) => ({ ...each, workload }));
}

function revisionAnomalies({ reason, message = '' }: Readiness): readonly Found[] {
  return reason === 'RevisionFailed' ? [{ reason, message, wait: 0 }] : [];
}

function deploymentAnomalies(
  { metadata, status }: LiveDeployment,
  { replicaFailureGrace }: Settings,
  now: Date,
): readonly Found[] {
  if (status?.observedGeneration !== metadata.generation) return [];
  return (status?.conditions ?? []).flatMap(
    ({ type, status: is, reason, message = '', lastTransitionTime }) => {
      if (type === 'ReplicaFailure' && is === 'True')
        return {
          reason: 'ReplicaFailure',
          message,
          wait: replicaFailureGrace - secondsSince(lastTransitionTime, now),
        };
      const isLate = type === 'Progressing' && is === 'False' && reason === 'ProgressDeadlineExceeded';
      return isLate ? { reason: 'Timeout', message, wait: 0 } : [];
    },
  );
}

function podAnomalies(pod: LivePod, settings: Settings, now: Date): readonly Found[] {
  const { conditions = [], containerStatuses = [], initContainerStatuses = [], startTime } = pod.status ?? {};
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  const found = [...initContainerStatuses, ...containerStatuses].flatMap((container) => {
    const unreadySince = conditions.find(({ type }) => type === 'ContainersReady')?.lastTransitionTime;
    const unreadyFor = secondsSince(unreadySince ?? startTime, now);
    return containerAnomaly(container, pod, { unreadyFor, settings, now }) ?? [];
  });
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return found;
  const wait = settings.unschedulableGrace - secondsSince(scheduled.lastTransitionTime, now);
  return [...found, { reason: 'Unschedulable', message: scheduled.message ?? '', wait }];
}

const PULL_FAILS = new Set(['ErrImagePull', 'ImagePullBackOff']);
const NEVER_PULLED = new Set(['InvalidImageName', 'ErrImageNeverPull']);
const MISCONFIGURED = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

function containerAnomaly(
  container: ContainerStatus,
  { metadata }: LivePod,
  { unreadyFor, settings, now }: { unreadyFor: number; settings: Settings; now: Date },
): Found | undefined {
  const { imagePullGrace, crashLoopRestarts } = settings;
  const { reason = '', message = reason } = container.state?.waiting ?? {};
  const text = `Pod ${metadata.name}: ${message}`;
  if (NEVER_PULLED.has(reason)) return { reason: 'ImagePull', message: text, wait: 0 };
  if (PULL_FAILS.has(reason))
    return { reason: 'ImagePull', message: text, wait: imagePullGrace - unreadyFor };
  if (MISCONFIGURED.has(reason)) return { reason: 'ContainerConfig', message: text, wait: 0 };
  if (!isCrashing(container, now) || container.restartCount < crashLoopRestarts) return undefined;
  return {
    reason: 'CrashLoop',
    message: `Pod ${metadata.name} restart count=${container.restartCount}.`,
    wait: 0,
  };
}

/** Seconds after which kubelets forget how often a container has crashed. */
const FORGOTTEN = 600;

/** A container that ran for long before its last end, or has run for long since, is in no loop, however often it has restarted. */
function isCrashing({ state, lastState: { terminated } = {}, ready }: ContainerStatus, now: Date): boolean {
  if (terminated !== undefined && ranFor(terminated) >= FORGOTTEN) return false;
  if (state?.waiting?.reason === 'CrashLoopBackOff') return true;
  if (ready || terminated === undefined || terminated.exitCode === 0) return false;
  return secondsSince(terminated.finishedAt, now) < FORGOTTEN;
}

type Terminated = NonNullable<NonNullable<ContainerStatus['lastState']>['terminated']>;

function ranFor({ startedAt, finishedAt }: Terminated): number {
  return finishedAt === undefined ? 0 : secondsSince(startedAt, new Date(finishedAt));
}
