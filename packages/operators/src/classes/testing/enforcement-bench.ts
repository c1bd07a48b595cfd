import { defined } from '@kubewright/kube';
import type { Decision, Refusal } from '@kubewright/runtime';
import { ANNOTATIONS, type ClassRuntime, type ClassRuntimeStatus, ENFORCER } from '../api.ts';
import { ownMinimum } from '../decide/autoscaler-of.ts';
import { decideClass, decideRefused } from '../decide/decide-class.ts';
import type {
  ClassAction,
  Live,
  LiveAutoscaler,
  LiveKnative,
  LiveWorkload,
  ObservedClass,
} from '../decide/observed-class.ts';
import { isScalable } from '../decide/observed-class.ts';
import { MIN_SCALE, minScaleOf } from '../knative-api.ts';
import type { ClassLoad } from '../class-load.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { render } from '../templates/render.ts';
import { at, childrenOf, classOf, CLUSTER, knativeStatus, SETTINGS, statusOf } from './class-bench.ts';

/** A class whose replicas are enforced, in time that a test moves. */
export type EnforcedClass = {
  readonly runtime: ClassRuntime;
  readonly live: readonly Live[];
  readonly autoscaler?: LiveAutoscaler | undefined;
  /** `180 hello 1 -> 3` */
  readonly applied: readonly string[];
  readonly events: readonly string[];
};

export type EnforcedParts = {
  readonly current?: number;
  readonly functions?: readonly string[];
  readonly minScale?: number;
  readonly maxScale?: number;
  readonly enforcement?: ClassRuntime['spec']['enforcement'];
  readonly settings?: Partial<Settings>;
  readonly template?: string;
  readonly autoscaler?: LiveAutoscaler | undefined;
};

/** Replicas that may change as far as they should in one step. */
export const UNBOUNDED: Partial<Settings> = { maxDelta: 0 };

export function enforcedClass(parts: EnforcedParts = {}): EnforcedClass {
  const { current = 1, functions = ['main'], minScale, maxScale } = parts;
  const { enforcement = { mode: 'enforce', dimensions: ['replicas'] } } = parts;
  const bare = classOf({ functions, ...defined({ template: parts.template }) });
  const scales = {
    ...(minScale === undefined ? {} : { min_scale: minScale }),
    ...(maxScale === undefined ? {} : { max_scale: maxScale }),
  };
  const spec = {
    ...bare.spec,
    functions: bare.spec.functions.map((one) => ({
      ...one,
      provision_config: { ...one.provision_config, ...scales },
    })),
    enforcement,
  };
  const runtime = { ...bare, spec };
  const status = statusOf(runtime, 'available', 'Ready', -1000);
  const live = childrenOf(runtime).map((object) =>
    isScalable(object) ? scaled(object, current, true) : object,
  );
  return { runtime: { ...runtime, status }, live, autoscaler: parts.autoscaler, applied: [], events: [] };
}

/** The load that asks for `replicas`, read at `t`. */
export function loadFor(
  { runtime }: EnforcedClass,
  replicas: number,
  t: number,
  generation = runtime.metadata.generation ?? 1,
): ClassLoad {
  const load = { cpu: replicas * SETTINGS.cpuPerPod, at: at(t).getTime(), generation };
  const functions = new Map(runtime.spec.functions.map(({ function_key }) => [function_key, load]));
  return { uid: runtime.metadata.uid, functions };
}

/** `isReady`: of a Service of Knative; the pods of a Deployment are. */
function scaled(object: LiveWorkload, replicas: number, isReady = false): LiveWorkload {
  if (object.kind === 'Service') return revised(object, replicas, isReady);
  const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
  const spec = { ...object.spec, replicas } as NonNullable<typeof object.spec>;
  return { ...object, spec, status: { ...object.status, ...counts } };
}

/** The Revision with that minimum is made. */
function revised(object: LiveKnative, replicas: number, isReady: boolean): LiveKnative {
  const { template } = object.spec;
  const { metadata = {} } = template;
  if (metadata.annotations?.[MIN_SCALE] === String(replicas)) return object;
  const annotations = { ...metadata.annotations, [MIN_SCALE]: String(replicas) };
  const generation = (object.metadata.generation ?? 1) + 1;
  const name = `hello-0000${generation}`;
  const latest = { observedGeneration: generation, latestCreatedRevisionName: name };
  const status = isReady
    ? knativeStatus({}, { ...latest, latestReadyRevisionName: name })
    : knativeStatus({ Ready: 'Unknown', ConfigurationsReady: 'Unknown' }, latest);
  return {
    ...object,
    metadata: { ...object.metadata, generation },
    spec: { template: { ...template, metadata: { ...metadata, annotations } } },
    status,
  };
}

function observe(
  state: EnforcedClass,
  load: ClassLoad | undefined,
  settings: Partial<Settings>,
): ObservedClass {
  const { runtime, live, autoscaler } = state;
  const own = settingsFor({ ...SETTINGS, ...settings }, runtime);
  const autoscalers = autoscaler === undefined ? [] : [autoscaler];
  return {
    runtime,
    settings: own,
    rendered: render(runtime, own, CLUSTER),
    live,
    autoscalers,
    pods: [],
    load,
  };
}

/** All looks at one moment: what is decided is written, until nothing is left to do, or a scaling ends in another way. */
export function look(
  state: EnforcedClass,
  t: number,
  load: ClassLoad | undefined,
  settings: Partial<Settings> = {},
  ends: 'done' | 'crash' | Refusal = 'done',
): EnforcedClass & { readonly decision: Decision<ClassAction, ClassRuntimeStatus> } {
  const observed = observe(state, load, settings);
  const decision = decideClass(observed, at(t));
  const { action } = decision;
  const next = noted(state, decision);
  if (action === undefined) return { ...next, decision };
  if (action.type !== 'scale') throw new TypeError(`unexpected ${action.type}`);
  if (typeof ends === 'object') {
    const failed = decideRefused(observe(next, load, settings), ends, at(t));
    return { ...noted(next, failed), decision: failed };
  }
  if (action.autoscaler !== undefined) return look(raised(next, t, action.replicas), t, load, settings);
  const { name } = action.object.metadata;
  const live = next.live.map((object) =>
    isScalable(object) && object.metadata.name === name ? scaled(object, action.replicas) : object,
  );
  const { object } = action;
  const before = object.kind === 'Deployment' ? object.spec?.replicas : minScaleOf(object);
  const applied = [...next.applied, `${t} ${name} ${before} -> ${action.replicas}`];
  const scaledNow = { ...next, live, applied };
  return ends === 'crash' ? { ...scaledNow, decision } : look(scaledNow, t, load, settings);
}

/** An autoscaler of the function `main`, as a user made it. */
export function autoscalerOf(minReplicas: number, maxReplicas: number): LiveAutoscaler {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'hello' };
  const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:minReplicas': {} } } }];
  const metadata = { name: 'web-scaler', namespace: 'default', uid: 'u-hpa', resourceVersion: '1' };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { ...metadata, managedFields },
    spec: { scaleTargetRef, minReplicas, maxReplicas },
  };
}

/** The autoscaler after our write of its minimum: with a note of the old one, until it has that again. */
function raised(state: EnforcedClass, t: number, minReplicas: number): EnforcedClass {
  const { autoscaler } = state;
  if (autoscaler === undefined) throw new TypeError('there is an autoscaler');
  const { metadata, spec } = autoscaler;
  const own = ownMinimum(autoscaler);
  const annotations = minReplicas === own ? {} : { [ANNOTATIONS.ownMinimum]: String(own) };
  const managedFields = [{ manager: ENFORCER, fieldsV1: { 'f:spec': { 'f:minReplicas': {} } } }];
  const next = { ...autoscaler, metadata: { ...metadata, annotations, managedFields } };
  const line = `${t} ${metadata.name} ${spec.minReplicas} -> ${minReplicas}`;
  return {
    ...state,
    autoscaler: { ...next, spec: { ...spec, minReplicas } },
    applied: [...state.applied, line],
  };
}

function noted(
  state: EnforcedClass,
  { status, events = [] }: Decision<unknown, ClassRuntimeStatus>,
): EnforcedClass {
  const runtime = status === undefined ? state.runtime : { ...state.runtime, status };
  return {
    ...state,
    runtime,
    events: [...state.events, ...events.map(({ type, reason }) => `${type} ${reason}`)],
  };
}

/** A look each minute until `end`, at the load that `replicas` says for that moment. */
export function play(
  state: EnforcedClass,
  end: number,
  replicas: (t: number) => number,
  settings: Partial<Settings> = {},
): EnforcedClass {
  let now = state;
  for (let t = 0; t <= end; t += 60) now = look(now, t, loadFor(now, replicas(t), t), settings);
  return now;
}

/** What the status says of the first function. */
export function detailOf({
  runtime,
}: EnforcedClass): NonNullable<ClassRuntimeStatus['nfr_details']>[number] | undefined {
  return runtime.status?.nfr_details?.[0];
}
