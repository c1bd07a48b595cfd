import { type Decision, setControllerReference } from '@kubewright/runtime';
import { defined, formatTime } from '@kubewright/kube';
import { ANNOTATIONS, type ClassRuntime, type ClassRuntimeStatus, FINALIZER, LABELS } from '../api.ts';
import { decideClass } from '../decide/decide-class.ts';
import type {
  ClassAction,
  Live,
  LiveDeployment,
  LiveKnative,
  LivePod,
  LiveStatefulSet,
  ObservedClass,
} from '../decide/observed-class.ts';
import { KNATIVE_API } from '../knative-api.ts';
import { isWorkload, titleOf } from '../decide/observed-class.ts';
import { readSettings, type Settings } from '../settings.ts';
import { render } from '../templates/render.ts';
import type { Desired, RenderedFor, Rendering } from '../templates/rendering.ts';

export const SETTINGS: Settings = readSettings({});
/** Knative is there for classes that name its template. */
export const CLUSTER: RenderedFor = { hasKnative: true };

/** The moment `t` seconds after a test's beginning. */
export function at(t: number): Date {
  return new Date(Date.UTC(2026, 0, 1) + t * 1000);
}

export function timeAt(t: number): string {
  return formatTime(at(t));
}

type Lifecycle = Partial<NonNullable<ClassRuntimeStatus['lifecycle']>>;

export type ClassParts = {
  readonly functions?: readonly string[];
  readonly odgm?: boolean;
  readonly image?: string;
  readonly minScale?: number;
  readonly paused?: boolean;
  readonly template?: string;
  readonly generation?: number;
  readonly finalizers?: readonly string[];
  readonly deletedAt?: string;
  readonly status?: ClassRuntimeStatus;
};

/** One function `main` with image `hello:1`, no data grid, unless said otherwise. */
export function classOf({ status, ...parts }: ClassParts = {}): ClassRuntime {
  return {
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: metadataOf(parts),
    spec: specOf(parts),
    ...defined({ status }),
  };
}

function metadataOf({
  generation = 1,
  finalizers = [FINALIZER],
  deletedAt,
}: ClassParts): ClassRuntime['metadata'] {
  const named = { name: 'hello', namespace: 'default', uid: 'u-1', resourceVersion: '1' };
  return { ...named, generation, finalizers, ...defined({ deletionTimestamp: deletedAt }) };
}

function specOf({
  functions = ['main'],
  odgm = false,
  image = 'hello:1',
  minScale,
  paused,
  template,
}: ClassParts): ClassRuntime['spec'] {
  const provision_config = { container_image: image, ...defined({ min_scale: minScale }) };
  return {
    addons: odgm ? ['odgm'] : [],
    functions: functions.map((function_key) => ({ function_key, provision_config })),
    ...defined({ paused, selected_template: template }),
  };
}

export function renderingOf(runtime: ClassRuntime): Rendering {
  const rendered = render(runtime, SETTINGS, CLUSTER);
  if ('error' in rendered) throw new TypeError(rendered.error);
  return rendered;
}

/** The status of a class that was applied at 0 and has been in `phase` since `since`. */
export function statusOf(
  runtime: ClassRuntime,
  phase: NonNullable<ClassRuntimeStatus['phase']>,
  reason: string,
  since: number,
  lifecycle: Lifecycle = {},
): ClassRuntimeStatus {
  const { hash, objects } = renderingOf(runtime);
  const generation = runtime.metadata.generation ?? 1;
  return {
    phase,
    observed_generation: generation,
    lifecycle: {
      reason,
      since: timeAt(since),
      progress_at: timeAt(0),
      ready: phase === 'available' ? objects.length : 0,
      total: objects.length,
      applied_generation: generation,
      applied_hash: hash,
      applied_at: timeAt(0),
      ...lifecycle,
    },
  };
}

/** An object as it is on the server, made for `owner`. `available`: of its replicas; default all. */
export function liveOf(desired: Desired, owner: ClassRuntime, available?: number): Live {
  const { metadata, ...rest } = setControllerReference(owner, desired);
  const stored = { ...metadata, uid: `u-${titleOf(desired)}`, resourceVersion: '1', generation: 1 };
  const object = { ...rest, metadata: stored };
  if (desired.apiVersion === KNATIVE_API) return { ...object, status: knativeStatus() } as Live;
  if (desired.kind === 'Service')
    return { ...object, spec: { ...desired.spec, clusterIP: '10.0.0.1' } } as Live;
  if (desired.kind === 'StatefulSet') return { ...object, status: statefulStatus(available) } as Live;
  return { ...object, status: deploymentStatus(desired, available) } as Live;
}

/** Of a Service of Knative of generation 1 whose first Revision is ready, unless said otherwise. */
export function knativeStatus(
  conditions: Partial<Record<'Ready' | 'ConfigurationsReady' | 'RoutesReady', string>> = {},
  more: LiveKnative['status'] = {},
): NonNullable<LiveKnative['status']> {
  const all = { ConfigurationsReady: 'True', RoutesReady: 'True', Ready: 'True', ...conditions };
  return {
    observedGeneration: 1,
    latestCreatedRevisionName: 'hello-00001',
    latestReadyRevisionName: 'hello-00001',
    url: 'http://hello.default.example.com',
    address: { url: 'http://hello.default.svc.cluster.local' },
    // `False/RevisionFailed`
    conditions: Object.entries(all).map(([type, text]) => {
      const [status, reason = ''] = text.split('/');
      return { type, status: status as 'True' | 'False' | 'Unknown', reason, message: `${type} is ${text}` };
    }),
    ...more,
  };
}

function deploymentStatus({ spec }: Desired, available?: number): NonNullable<LiveDeployment['status']> {
  const replicas = spec !== undefined && 'replicas' in spec ? (spec.replicas ?? 1) : 1;
  const counts = { replicas, updatedReplicas: replicas, availableReplicas: available ?? replicas };
  return { observedGeneration: 1, ...counts };
}

function statefulStatus(readyReplicas = 1): NonNullable<LiveStatefulSet['status']> {
  const revisions = { currentRevision: 'r-1', updateRevision: 'r-1' };
  return {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas,
    availableReplicas: readyReplicas,
    ...revisions,
  };
}

/** All children of a class; `available` replicas by name, else all. */
export function childrenOf(
  runtime: ClassRuntime,
  available: Readonly<Record<string, number>> = {},
): readonly Live[] {
  return renderingOf(runtime).objects.map((desired) =>
    liveOf(desired, runtime, available[desired.metadata.name ?? '']),
  );
}

/** A pod of a class's first function, made from its present template. */
export function podOf(runtime: ClassRuntime, status: LivePod['status'], name = 'hello-1'): LivePod {
  const found = renderingOf(runtime).objects.find((object) => isWorkload(object));
  const template = found?.spec?.template?.metadata?.annotations;
  const annotations = { [ANNOTATIONS.templateHash]: template?.[ANNOTATIONS.templateHash] ?? '' };
  const labels = { app: 'hello', [LABELS.owner]: 'hello' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', labels, annotations },
    spec: { containers: [] },
    status: status ?? {},
  };
}

/** A pod whose container waits with `reason`, not ready since `since`. */
export function waitingPod(
  runtime: ClassRuntime,
  reason: string,
  { restartCount = 0, since = 0, name = 'hello-1' } = {},
): LivePod {
  const container = { name: 'function', image: '', imageID: '', ready: false, restartCount };
  const conditions = [
    { type: 'ContainersReady', status: 'False' as const, lastTransitionTime: timeAt(since) },
  ];
  const containerStatuses = [{ ...container, state: { waiting: { reason } } }];
  return podOf(runtime, { conditions, containerStatuses }, name);
}

export type Told = {
  readonly phase: string | undefined;
  readonly reason: string | undefined;
  readonly action: string;
  /** Seconds. */
  readonly requeue: number | undefined;
  readonly message: string | undefined;
  readonly events: readonly string[];
  readonly decision: Decision<ClassAction, ClassRuntimeStatus>;
};

/** What is decided at `t` about a class and what is live. */
export function decidedAt(
  t: number,
  runtime: ClassRuntime,
  live: readonly Live[] = [],
  pods: readonly LivePod[] = [],
  more: Partial<ObservedClass> = {},
): Told {
  const rendered = render(runtime, SETTINGS, CLUSTER);
  const decision = decideClass({ runtime, settings: SETTINGS, rendered, live, pods, ...more }, at(t));
  const { status = runtime.status ?? {}, action, requeueAfter, events = [] } = decision;
  return {
    phase: status.phase,
    reason: status.lifecycle?.reason,
    action: actionText(action),
    requeue: requeueAfter === undefined ? undefined : requeueAfter / 1000,
    message: status.message,
    events: events.map(({ type, reason }) => `${type} ${reason}`),
    decision,
  };
}

/** `Available: 'False/CrashLoop'`, of what is written. */
export function conditionsIn({ decision: { status = {} } }: Told): Readonly<Record<string, string>> {
  const all = status.conditions ?? [];
  return Object.fromEntries(all.map(({ type, status: is, reason }) => [type, `${is}/${reason}`]));
}

function actionText(action: ClassAction | undefined): string {
  if (action === undefined) return '-';
  return 'object' in action ? `${action.type} ${titleOf(action.object)}` : action.type;
}
