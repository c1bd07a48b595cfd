import { defined, formatTime } from '@kubewright/kube';
import { DEGRADED_REASONS, type Enforcement, type NfrDetail } from '../api.ts';
import { isEnforced } from '../enforcement-mode.ts';
import type { FunctionLoad, RequestForm } from '../class-load.ts';
import type { RenderedFunction, Rendering } from '../templates/rendering.ts';
import type { Anomaly } from './workload-anomalies.ts';
import { autoscalerOf, minimumOf } from './autoscaler-of.ts';
import {
  isSameObject,
  isScalable,
  isWorkload,
  type LiveAutoscaler,
  type LiveWorkload,
  type ObservedClass,
} from './observed-class.ts';
import { minScaleOf } from '../knative-api.ts';
import { freshnessOf, isStillSettled, loadOf } from './load-of.ts';
import { type ReplicasOwner, replicasOwner } from './replicas-owner.ts';
import { missingSignals, recommend, type Recommendation } from './recommend.ts';
import { scaledNow } from './was-scaled.ts';

/** The state of one function's replicas, before anything is decided about them. */
export type FunctionNfr = {
  readonly function: RenderedFunction;
  readonly live: LiveWorkload;
  /** Scales the Deployment: enforcement sets its minimum instead of replicas. */
  readonly autoscaler?: LiveAutoscaler | undefined;
  /** Who else has the replicas. */
  readonly owner: ReplicasOwner | undefined;
  /** Replicas of the Deployment, or the minimum of its autoscaler, or of its Service of Knative. */
  readonly current: number;
  readonly recommendation: Recommendation & { readonly observed_at: string };
  /** In which form requests were counted when that was last known. */
  readonly histograms?: RequestForm | undefined;
  readonly isFresh: boolean;
  /** The load may be more than what is known of it. */
  readonly isUnsure: boolean;
  /** See {@link isStillSettled}. */
  readonly isSettled: boolean;
  /** Milliseconds since 1970 until which the load is fresh. */
  readonly freshUntil?: number | undefined;
  /** The time of its newest sample. */
  readonly loadAt?: number | undefined;
  readonly stored: NfrDetail | undefined;
  /** As stored, but settled if the Deployment already has the replicas that were being applied. */
  readonly enforcement: Enforcement | undefined;
  /** Replicas that are now found to be applied. */
  readonly applied?: number | undefined;
};

/** One for each function that has pods of its own and a recommendation, new or stored. */
export function functionNfrs(
  observed: ObservedClass,
  rendering: Rendering | undefined,
  now: Date,
): readonly FunctionNfr[] {
  return (rendering?.functions ?? []).flatMap((each) => {
    const desired = rendering?.objects.find(
      (object) => isWorkload(object) && object.metadata.name === each.workload,
    );
    const live = observed.live.find((object) => desired !== undefined && isSameObject(object, desired));
    return live === undefined || !isScalable(live) ? [] : (nfrOf(observed, each, live, now) ?? []);
  });
}

function nfrOf(
  observed: ObservedClass,
  each: RenderedFunction,
  live: LiveWorkload,
  now: Date,
): FunctionNfr | undefined {
  const { runtime, settings } = observed;
  const stored = runtime.status?.nfr_details?.find(({ function_key }) => function_key === each.key);
  const load = loadOf(observed, each);
  const recommendation = recommendationOf(load, stored, runtime, settings.cpuPerPod);
  if (recommendation === undefined) return undefined;
  const autoscaler = live.kind === 'Deployment' ? autoscalerOf(observed, live.metadata.name) : undefined;
  const owner = replicasOwner(live, autoscaler);
  const current = currentOf(live, autoscaler, owner);
  const known = {
    function: each,
    live,
    autoscaler,
    owner,
    current,
    recommendation,
    histograms: formOf(load, stored),
    stored,
    ...settled(stored?.enforcement, current, { runtime, now }),
  };
  const isSettled = isStillSettled(observed, load, stored, current);
  const isUnsure = load !== undefined && mayBeMore(load, runtime, stored);
  return { ...known, ...freshnessOf(load, settings, now), isUnsure, isSettled };
}

/** Pods without a value may use more than the others, and a signal that is missing may ask for more. */
function mayBeMore(
  load: FunctionLoad,
  { spec }: ObservedClass['runtime'],
  last: Pick<Recommendation, 'basis'> | undefined,
): boolean {
  return load.isPartial === true || missingSignals(load, spec.nfr_requirements ?? {}, last).length > 0;
}

/** What is enforced: of an autoscaler that we may set the minimum, of all others the replicas. */
function currentOf(
  live: LiveWorkload,
  autoscaler: LiveAutoscaler | undefined,
  owner: ReplicasOwner | undefined,
): number {
  return autoscaler === undefined || owner?.isController === true ? replicasOf(live) : minimumOf(autoscaler);
}

function replicasOf(live: LiveWorkload): number {
  return live.kind === 'Deployment' ? (live.spec?.replicas ?? 1) : minScaleOf(live);
}

/** What is not known now is as it was. */
function formOf(load: FunctionLoad | undefined, stored: NfrDetail | undefined): RequestForm | undefined {
  return load?.form ?? stored?.histograms;
}

/** From the load if there is one; otherwise the stored recommendation. */
function recommendationOf(
  load: FunctionLoad | undefined,
  stored: NfrDetail | undefined,
  runtime: ObservedClass['runtime'],
  cpuPerPod: number,
): FunctionNfr['recommendation'] | undefined {
  const old = stored && {
    replicas: stored.recommended,
    basis: stored.basis,
    observed_at: stored.observed_at,
  };
  if (load === undefined) return old;
  const recommended = recommend(load, runtime.spec.nfr_requirements ?? {}, cpuPerPod);
  const found = { ...recommended, observed_at: formatTime(new Date(load.at)) };
  if (old === undefined) return found;
  const isSame = old.replicas === recommended.replicas && old.basis === recommended.basis;
  const isLess = recommended.replicas < old.replicas && mayBeMore(load, runtime, old);
  return isSame || isLess ? old : found;
}

/** Settles a change that was recorded before the Deployment was scaled, and that the Deployment now has. */
function settled(
  stored: Enforcement | undefined,
  current: number,
  { runtime, now }: Pick<ObservedClass, 'runtime'> & { readonly now: Date },
): Pick<FunctionNfr, 'enforcement' | 'applied'> {
  if (stored?.applying === undefined || stored.applying.replicas !== current) return { enforcement: stored };
  const done = { ...stored, applying: undefined, failure: undefined, ...scaledNow(runtime, now) };
  return { enforcement: defined(done), applied: current };
}

/** Failed enforcement of a current target: the class is degraded until it succeeds. */
export function enforcementAnomalies(
  { runtime, settings }: Pick<ObservedClass, 'runtime' | 'settings'>,
  functions: readonly FunctionNfr[],
): readonly Anomaly[] {
  if (!settings.nfrEnforcement || !isEnforced(runtime, 'replicas')) return [];
  return functions.flatMap(({ enforcement, live }) => {
    const failure = enforcement?.failure;
    if (failure === undefined || failure.generation !== runtime.metadata.generation) return [];
    const reason = DEGRADED_REASONS.find((each) => each === failure.reason) ?? 'EnforceFailed';
    return [{ reason, message: failure.message, workload: live.metadata.name, wait: 0 }];
  });
}
