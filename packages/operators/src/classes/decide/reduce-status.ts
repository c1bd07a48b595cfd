import { type Condition, defined, formatTime, jsonEqual, setCondition } from '@kubewright/kube';
import type { ClassRuntimeStatus, FunctionStatus, Lifecycle, Phase, Reason } from '../api.ts';
import { telemetryOf } from '../templates/otel-env.ts';
import { autoscalingCondition } from './autoscaling-condition.ts';
import type { RenderedFunction } from '../templates/rendering.ts';
import type { NfrDecision } from './decide-nfr.ts';
import { type Child, type Facts, hashIn } from './facts.ts';
import { gridReplicas } from './grid-replicas.ts';
import { gridCondition, gridStatus } from './grid-status.ts';
import { isWorkload, kindOf, titleOf } from './observed-class.ts';
import { KNATIVE_API } from '../knative-api.ts';
import { pausedCondition } from './paused-condition.ts';
import { isServing } from './readiness.ts';
import type { Verdict } from './verdict.ts';

/** The status after a verdict; equal to the stored one when nothing changed. Fields of other writers stay. */
export function reduceStatus(facts: Facts, verdict: Verdict, nfr: NfrDecision): ClassRuntimeStatus {
  const { status, rendering, runtime, now } = facts;
  const { generation } = runtime.metadata;
  const isStillApplying = verdict.phase === 'applying' && status.phase === 'applying';
  // One write for all objects: their results are reported when all are applied.
  if (isStillApplying && status.observed_generation === generation) return status;
  const next: ClassRuntimeStatus = defined({
    ...status,
    phase: verdict.phase,
    message: verdict.message,
    observed_generation: generation,
    observedGeneration: generation,
    conditions: conditionsOf(facts, verdict, nfr),
    resource_refs: rendering === undefined ? status.resource_refs : refsOf(facts),
    routers: facts.routers === undefined || facts.routers.length === 0 ? undefined : facts.routers,
    template: rendering === undefined ? status.template : rendering.selection,
    functions: rendering === undefined ? status.functions : functionsOf(facts, rendering.functions),
    odgm: gridStatus(facts),
    rollout: rolloutOf(facts),
    lifecycle: lifecycleOf(facts, verdict),
    ...nfr.status,
    ...gridNfr(facts, verdict, nfr),
  });
  return jsonEqual(next, status) ? status : { ...next, last_updated: formatTime(now) };
}

/** While the next function waits. */
function rolloutOf({ held, children }: Facts): ClassRuntimeStatus['rollout'] | undefined {
  if (held === undefined) return undefined;
  const workloads = children.filter(({ desired }) => isWorkload(desired));
  const updated = workloads.filter(
    ({ desired, live }) => live !== undefined && hashIn(live) === hashIn(desired),
  );
  return { updated: updated.length, total: workloads.length, waiting_for: held };
}

/** The nodes of the data grid, beside what functions need. */
function gridNfr(
  facts: Facts,
  verdict: Verdict,
  { status }: NfrDecision,
): { [name in 'nfr_odgm' | 'nfr_recommendations']?: ClassRuntimeStatus[name] | undefined } {
  const nfr_odgm = gridReplicas(facts, verdict);
  if (nfr_odgm === undefined) return { nfr_odgm };
  const others = status.nfr_recommendations ?? facts.status.nfr_recommendations;
  return { nfr_odgm, nfr_recommendations: { ...others, odgm_replicas: nfr_odgm.recommended } };
}

/** `Progressing`, `Available`, `Degraded`, and kstatus' `Ready`, `Reconciling`, `Stalled`. */
const TRUE_IN: Readonly<Record<string, readonly Phase[]>> = {
  Progressing: ['applying', 'progressing'],
  Available: ['available'],
  Degraded: ['degraded'],
  Ready: ['available'],
  Reconciling: ['pending', 'applying', 'progressing', 'deleting'],
  Stalled: ['degraded'],
};

function conditionsOf(
  facts: Facts,
  { phase, reason, message }: Verdict,
  { observed: nfrObserved, enforced }: NfrDecision,
): readonly Condition[] {
  const { generation } = facts.runtime.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const time = formatTime(facts.now);
  const serving = servingOf(facts);
  const updates = [
    ...Object.entries(TRUE_IN).map(([type, phases]) => ({
      type,
      is: phases.includes(phase),
      reason,
      message,
    })),
    { type: 'Serving', ...serving },
    { type: 'NfrObserved', ...nfrObserved },
    { type: 'NfrEnforced', ...enforced },
    ...gridCondition(facts),
    ...telemetryConditions(facts),
    ...autoscalingCondition(facts.autoscalers ?? [], facts.status.conditions),
    ...pausedCondition(facts),
  ];
  return updates.reduce<readonly Condition[]>(
    (conditions, { is, ...update }) =>
      setCondition(conditions, { ...observed, ...update, status: is ? 'True' : 'False' }, time),
    facts.status.conditions ?? [],
  );
}

type ConditionUpdate = Pick<Condition, 'type' | 'reason' | 'message'> & { readonly is: boolean };

/** `TelemetryDegraded` is there from the first time that it is true. */
function telemetryConditions({ runtime, settings, status }: Facts): readonly ConditionUpdate[] {
  const { enabled, hasEndpoint } = telemetryOf(runtime, settings);
  const isDegraded = enabled && !hasEndpoint;
  const wasDegraded = status.conditions?.some(({ type }) => type === 'TelemetryDegraded') === true;
  const why = telemetryReason(enabled, hasEndpoint);
  return [
    { type: 'TelemetryConfigured', is: enabled && hasEndpoint, ...why },
    ...(isDegraded || wasDegraded ? [{ type: 'TelemetryDegraded', is: isDegraded, ...why }] : []),
  ];
}

function telemetryReason(enabled: boolean, hasEndpoint: boolean): Pick<Condition, 'reason' | 'message'> {
  if (!enabled) return { reason: 'TelemetryDisabled', message: 'Telemetry is disabled' };
  return hasEndpoint
    ? { reason: 'TelemetryEnabled', message: 'Telemetry is enabled with valid endpoint' }
    : { reason: 'NoEndpoint', message: 'Telemetry enabled but no OTLP endpoint configured' };
}

/** Whether every function has a serving pod and the data grid is ready: a degraded class may still serve. */
function servingOf({ children, rendering, owned }: Facts): { is: boolean; reason: string; message: string } {
  if (rendering === undefined) return stillServing(owned);
  const silent = children.find(({ desired, live }) => isWorkload(desired) && !isServing(live));
  if (silent === undefined) return { is: true, reason: 'Serving', message: '' };
  const what = silent.desired.kind === 'Service' ? 'Revision that serves' : 'available pod';
  return { is: false, reason: 'NoEndpoints', message: `${titleOf(silent.desired)} has no ${what}` };
}

/** What a class has that cannot be rendered is of an earlier generation, if there is anything. */
function stillServing(owned: Facts['owned']): { is: boolean; reason: string; message: string } {
  const workloads = owned.filter((live) => isWorkload(live));
  const silent = workloads.find((live) => !isServing(live));
  const is = workloads.length > 0 && silent === undefined;
  if (is) return { is, reason: 'Serving', message: '' };
  const what = silent === undefined ? 'there are no pods' : `${titleOf(silent)} has no available pod`;
  return { is, reason: 'NoEndpoints', message: what };
}

function refsOf({ children }: Facts): NonNullable<ClassRuntimeStatus['resource_refs']> {
  return children
    .filter(({ live }) => live !== undefined)
    .map(({ desired }) => ({ kind: kindOf(desired), name: desired.metadata.name ?? '' }))
    .toSorted((a, b) => (`${a.kind}/${a.name}` < `${b.kind}/${b.name}` ? -1 : 1));
}

/** In the order of the spec. Readiness fields are replaced together, so that no stale reason remains. */
function functionsOf(facts: Facts, functions: readonly RenderedFunction[]): readonly FunctionStatus[] {
  return functions.map((each) => {
    const { key, service, url } = each;
    const old = facts.status.functions?.find(({ function_key }) => function_key === key);
    const { ready, reason, message } = stateOf(each, facts);
    const isSame = old?.ready === ready && old.reason === reason;
    const template = facts.rendering?.template ?? '';
    const observed_url =
      addressOf(each, facts) ?? (old?.template === template ? old.observed_url : undefined);
    const lastTransitionTime = isSame ? old.lastTransitionTime : formatTime(facts.now);
    const named = { function_key: key, service, port: 80, predicted_url: url, template };
    return defined({ ...named, observed_url, ready, reason, message, lastTransitionTime });
  });
}

/** The address that Knative reports. */
function addressOf({ workload }: RenderedFunction, { children }: Facts): string | undefined {
  const live = children.find(
    (child) => child.live?.apiVersion === KNATIVE_API && child.live.metadata.name === workload,
  )?.live;
  if (live?.apiVersion !== KNATIVE_API) return undefined;
  return live.status?.address?.url ?? live.status?.url;
}

type FunctionState = { readonly ready: boolean; readonly reason?: string; readonly message?: string };

/** For a function that runs in the data grid: the data grid's readiness. */
function stateOf({ workload }: RenderedFunction, { children, anomalies }: Facts): FunctionState {
  const isIts = ({ desired }: Child): boolean =>
    workload === undefined
      ? desired.metadata.name?.endsWith('-odgm') === true
      : desired.metadata.name === workload;
  const its = children.filter((child) => isIts(child));
  const unready = its.find(({ readiness }) => !readiness.ready);
  if (unready === undefined) return { ready: its.length > 0 };
  const anomaly = anomalies.find((each) => each.workload === unready.desired.metadata.name);
  return { ...unready.readiness, ...(anomaly && { reason: anomaly.reason, message: anomaly.message }) };
}

/** The timers' start times. Each changes only with what it measures, so that a restart changes nothing. */
function lifecycleOf(facts: Facts, { phase, reason }: Verdict): Lifecycle {
  const { lifecycle, now, ready, total, anomalies } = facts;
  const time = formatTime(now);
  const recorded = appliedOf(facts);
  const hasProgress = isProgress(facts, reason) || recorded.applied_hash !== lifecycle.applied_hash;
  const isUnready = phase === 'available' && ready < total;
  const reasons = phase === 'degraded' ? [...new Set(anomalies.map((anomaly) => anomaly.reason))] : [];
  return defined({
    reason,
    since: kept(phase === facts.phase, lifecycle.since, time),
    progress_at: kept(!hasProgress, lifecycle.progress_at, time),
    ready,
    total,
    orphans_since: areOrphansDue(facts) ? kept(true, lifecycle.orphans_since, time) : undefined,
    unready_since: isUnready ? kept(true, lifecycle.unready_since, time) : undefined,
    ...recorded,
    refused: isApplied(facts) ? undefined : lifecycle.refused,
    reasons: reasons.length > 0 ? reasons : undefined,
  });
}

/** Orphans are deleted as soon as everything desired is ready. */
function areOrphansDue({ orphans, ready, total }: Facts): boolean {
  return orphans.length > 0 && ready === total;
}

function kept(isSame: boolean, old: string | undefined, now: string): string {
  return isSame && old !== undefined ? old : now;
}

/** More objects are ready, or the class starts to recover: the timeout starts again. */
function isProgress({ lifecycle, ready }: Facts, reason: Reason): boolean {
  const isBegun = reason === 'Recovering' || reason === 'ReadinessLost';
  return ready > (lifecycle.ready ?? 0) || (isBegun && reason !== lifecycle.reason);
}

function isApplied({ rendering, toApply, held, children }: Facts): boolean {
  const isDone = toApply === undefined && held === undefined;
  return rendering !== undefined && isDone && children.every(({ live }) => live !== undefined);
}

type Applied = Partial<Pick<Lifecycle, 'applied_generation' | 'applied_hash' | 'applied_at'>>;

/** Recorded once every object is applied as rendered. */
function appliedOf(facts: Facts): Applied {
  const { lifecycle, rendering, runtime, now } = facts;
  const { applied_generation, applied_hash, applied_at } = lifecycle;
  if (facts.isRecorded || rendering === undefined || !isApplied(facts))
    return defined({ applied_generation, applied_hash, applied_at });
  return defined({
    applied_generation: runtime.metadata.generation,
    applied_hash: rendering.hash,
    applied_at: formatTime(now),
  });
}
