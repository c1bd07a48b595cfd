import { defined, formatTime } from '@kubewright/kube';
import { DEGRADED_REASONS, type Enforcement, type NfrDetail } from '../api.ts';
import { isEnforced } from '../enforcement-mode.ts';
import type { FunctionLoad } from '../class-load.ts';
import type { RenderedFunction, Rendering } from '../templates/rendering.ts';
import type { Anomaly } from './workload-anomalies.ts';
import { autoscalerOf, minimumOf } from './autoscaler-of.ts';
import type { LiveAutoscaler, LiveDeployment, ObservedClass } from './observed-class.ts';
import { recommend, type Recommendation } from './recommend.ts';

/** The state of one function's replicas, before anything is decided about them. */
export type FunctionNfr = {
  readonly function: RenderedFunction;
  readonly live: LiveDeployment;
  /** Scales the Deployment: enforcement sets its minimum instead of replicas. */
  readonly autoscaler?: LiveAutoscaler | undefined;
  /** Replicas of the Deployment, or the minimum of its autoscaler. */
  readonly current: number;
  readonly recommendation: Recommendation & { readonly observed_at: string };
  readonly isFresh: boolean;
  /** Milliseconds since 1970 until which the load is fresh. */
  readonly freshUntil?: number | undefined;
  readonly stored: NfrDetail | undefined;
  /** As stored, but settled if the Deployment already has the replicas that were being applied. */
  readonly enforcement: Enforcement | undefined;
  /** Replicas that are now found to be applied. */
  readonly applied?: number | undefined;
};

/** One for each function that runs in a Deployment and has a recommendation, new or stored. */
export function functionNfrs(
  observed: ObservedClass,
  rendering: Rendering | undefined,
  now: Date,
): readonly FunctionNfr[] {
  return (rendering?.functions ?? []).flatMap((each) => {
    const live = observed.live.find(
      (object): object is LiveDeployment =>
        object.kind === 'Deployment' && each.workload !== undefined && object.metadata.name === each.workload,
    );
    return live === undefined ? [] : (nfrOf(observed, each, live, now) ?? []);
  });
}

function nfrOf(
  observed: ObservedClass,
  each: RenderedFunction,
  live: LiveDeployment,
  now: Date,
): FunctionNfr | undefined {
  const { runtime, settings } = observed;
  const stored = runtime.status?.nfr_details?.find(({ function_key }) => function_key === each.key);
  const load = loadOf(observed, each);
  const recommendation = recommendationOf(load, stored, runtime, settings.cpuPerPod);
  if (recommendation === undefined) return undefined;
  const autoscaler = autoscalerOf(observed, live.metadata.name);
  const current = autoscaler === undefined ? (live.spec?.replicas ?? 1) : minimumOf(autoscaler);
  const known = {
    function: each,
    live,
    autoscaler,
    current,
    recommendation,
    stored,
    ...settled(stored?.enforcement, current, now),
  };
  if (load === undefined) return { ...known, isFresh: false };
  const freshUntil = load.at + 1000 * (settings.maxAge ?? 3 * settings.analyzerInterval);
  return { ...known, isFresh: now.getTime() <= freshUntil, freshUntil };
}

/** The load of a function at this generation of the class. */
function loadOf(
  { runtime: { metadata }, load }: ObservedClass,
  { key }: RenderedFunction,
): FunctionLoad | undefined {
  const found = load?.uid === metadata.uid ? load.functions.get(key) : undefined;
  return found?.generation === metadata.generation ? found : undefined;
}

/** From the load if there is one; otherwise the stored recommendation. */
function recommendationOf(
  load: FunctionLoad | undefined,
  stored: NfrDetail | undefined,
  { spec }: ObservedClass['runtime'],
  cpuPerPod: number,
): FunctionNfr['recommendation'] | undefined {
  const old = stored && {
    replicas: stored.recommended,
    basis: stored.basis,
    observed_at: stored.observed_at,
  };
  if (load === undefined) return old;
  const recommended = recommend(load, spec.nfr_requirements ?? {}, cpuPerPod);
  const isSame = old?.replicas === recommended.replicas && old.basis === recommended.basis;
  // Pods without a value may use more than the others.
  const isLess = load.isPartial === true && old !== undefined && recommended.replicas < old.replicas;
  return isSame || isLess ? old : { ...recommended, observed_at: formatTime(new Date(load.at)) };
}

/** Settles a change that was recorded before the Deployment was scaled, and that the Deployment now has. */
function settled(
  stored: Enforcement | undefined,
  current: number,
  now: Date,
): Pick<FunctionNfr, 'enforcement' | 'applied'> {
  if (stored?.applying === undefined || stored.applying.replicas !== current) return { enforcement: stored };
  const done = { ...stored, applying: undefined, failure: undefined, applied_at: formatTime(now) };
  return { enforcement: defined(done), applied: current };
}

/** Failed enforcement of a current target: the class is degraded until it succeeds. */
export function enforcementAnomalies(
  { runtime }: ObservedClass,
  functions: readonly FunctionNfr[],
): readonly Anomaly[] {
  if (!isEnforced(runtime)) return [];
  return functions.flatMap(({ enforcement, live }) => {
    const failure = enforcement?.failure;
    if (failure === undefined || failure.generation !== runtime.metadata.generation) return [];
    const reason = DEGRADED_REASONS.find((each) => each === failure.reason) ?? 'EnforceFailed';
    return [{ reason, message: failure.message, workload: live.metadata.name, wait: 0 }];
  });
}
