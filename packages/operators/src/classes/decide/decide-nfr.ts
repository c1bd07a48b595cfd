import { defined, formatTime } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { AppliedRecommendation, ClassRuntimeStatus, NfrDetail } from '../api.ts';
import { enforcementMode, enforces, isEnforced } from '../enforcement-mode.ts';
import { isRaised, ownMinimum } from './autoscaler-of.ts';
import { observedCondition } from './observed-condition.ts';
import { decideResources, type ResourceDecision } from './decide-resources.ts';
import type { DecidedFunction, NfrCondition } from './decided-function.ts';
import { enforce, type Enforced } from './enforce.ts';
import { enforcedCondition } from './enforced-condition.ts';
import type { Facts } from './facts.ts';
import type { FunctionNfr } from './function-nfr.ts';
import { historyOf } from './history-of.ts';
import { nfrEvents, problemNow } from './nfr-events.ts';
import type { ClassAction } from './observed-class.ts';
import type { Settings } from '../settings.ts';
import type { Verdict } from './verdict.ts';

/** What recommendations, and their enforcement, add to a decision. */
export type NfrDecision = {
  readonly status: Pick<
    ClassRuntimeStatus,
    'nfr_recommendations' | 'last_applied_recommendations' | 'last_applied_at'
  > & { readonly nfr_details: readonly NfrDetail[] | undefined };
  readonly observed: NfrCondition;
  readonly enforced: NfrCondition;
  readonly action?: ClassAction | undefined;
  /** Seconds. */
  readonly requeue?: number | undefined;
  readonly events: readonly EventNote[];
};

const MOST_APPLIED = 20;

/** Scales one function at a time: each write is followed by another reconcile. */
export function decideNfr(facts: Facts, verdict: Verdict): NfrDecision {
  const isOpen = mayEnforce(facts, verdict);
  const observed = observedCondition(facts);
  const all = facts.functions.map((nfr) => ({ nfr, enforced: enforce(inputOf(facts, nfr, isOpen)) }));
  const isFree = verdict.action === undefined;
  const next = isFree ? all.find(({ enforced }) => enforced.step !== undefined) : undefined;
  const release = next === undefined ? releaseOf(facts, verdict) : undefined;
  const resources = decideResources(facts, isOpen, isFree && next === undefined && release === undefined);
  const decided = all.map((one) => {
    const detail = { ...detailOf(one.nfr, one.enforced, one === next), ...sizesOf(one.nfr, resources) };
    return { ...one, detail: { ...detail, history: historyOf(detail, one.nfr.stored, facts.now) } };
  });
  return {
    status: statusOf(facts, decided, resources),
    observed,
    enforced: enforcedCondition(facts, decided, resources),
    action: next === undefined ? (release ?? resources.action) : scaleOf(facts, next.nfr, next.enforced),
    requeue: soonest(decided, resources.waits, facts.now),
    events: [
      ...problemNow(facts, observed),
      ...decided.flatMap((one) => nfrEvents(one)),
      ...resources.events,
    ],
  };
}

/** Only in a class that is available, or degraded by enforcement alone: all of it is ready. */
function mayEnforce({ ready, total }: Facts, { phase, reason }: Verdict): boolean {
  const isFit = phase === 'available' || (phase === 'degraded' && reason.startsWith('Enforce'));
  return isFit && ready === total;
}

function inputOf(
  { runtime, settings, now }: Facts,
  nfr: FunctionNfr,
  isOpen: boolean,
): Parameters<typeof enforce>[0] {
  const { recommendation, isFresh, loadAt, isUnsure, isSettled, current, enforcement } = nfr;
  return {
    ...(nfr.live.kind === 'Service' ? revised(settings) : { settings }),
    now,
    generation: runtime.metadata.generation ?? 0,
    isEnforcing: enforcementMode(runtime) === 'enforce',
    isListed: enforces(runtime, 'replicas'),
    isOthers: nfr.owner?.isController === true,
    isOpen,
    recommended: recommendation.replicas,
    isFresh,
    loadAt,
    isUnsure,
    isSettled,
    current,
    ...boundsOf(nfr),
    stored: enforcement,
  };
}

/** Each change makes a new Revision: two replicas at least, or a fifth of those that are there, and not as often. */
function revised(settings: Settings): Pick<Parameters<typeof enforce>[0], 'settings' | 'isWorthwhile'> {
  return {
    settings: { ...settings, cooldown: 2 * settings.cooldown },
    isWorthwhile: (target, current) =>
      Math.abs(target - current) >= 2 || Math.abs(target - current) * 5 >= current,
  };
}

/** An autoscaler's own minimum and maximum hold as well as those of the class. */
function boundsOf({
  function: { spec },
  autoscaler,
}: FunctionNfr): Pick<Parameters<typeof enforce>[0], 'minScale' | 'maxScale'> {
  const { min_scale: minScale, max_scale: maxScale } = spec.provision_config ?? {};
  if (autoscaler === undefined) return { minScale, maxScale };
  const { maxReplicas } = autoscaler.spec;
  const least = Math.max(minScale ?? 1, ownMinimum(autoscaler));
  return { minScale: Math.min(least, maxReplicas), maxScale: Math.min(maxScale ?? maxReplicas, maxReplicas) };
}

/** Once replicas are no longer enforced, an autoscaler gets back the minimum that it had. */
function releaseOf({ runtime, functions, isDeleting }: Facts, { action }: Verdict): ClassAction | undefined {
  if (action !== undefined || isDeleting || isEnforced(runtime, 'replicas')) return undefined;
  const found = functions.find(({ autoscaler }) => autoscaler !== undefined && isRaised(autoscaler));
  return found?.autoscaler && { type: 'release', autoscaler: found.autoscaler };
}

function scaleOf(
  { runtime }: Facts,
  { live, autoscaler, function: { key } }: FunctionNfr,
  { step = 1 }: Enforced,
): ClassAction {
  return { type: 'scale', runtime, object: live, autoscaler, replicas: step, function_key: key };
}

/** `isNext`: the write is recorded in the status first, so that it resumes after a crash. */
function detailOf(
  { function: { key }, recommendation, histograms, current, autoscaler, owner }: FunctionNfr,
  { decision, state, step }: Enforced,
  isNext: boolean,
): NfrDetail {
  const { replicas: recommended, basis, observed_at } = recommendation;
  const applying = isNext && step !== undefined ? { replicas: step } : undefined;
  const enforcement = applying === undefined || state === undefined ? state : { ...state, applying };
  const scaledBy = { current, autoscaler: autoscaler?.metadata.name, scaled_by: owner?.name };
  const found = { recommended, basis, histograms, observed_at };
  return defined({ function_key: key, ...found, ...scaledBy, decision, enforcement });
}

/** Of a function without such recommendations none. */
function sizesOf(
  { function: { key } }: FunctionNfr,
  { details }: ResourceDecision,
): Pick<NfrDetail, 'resources'> {
  const own = details
    .filter(({ function_key }) => function_key === key)
    .map(({ function_key: _key, ...detail }) => detail);
  return own.length === 0 ? {} : { resources: own };
}

function statusOf(
  { status, rendering, now }: Facts,
  decided: readonly DecidedFunction[],
  resources: ResourceDecision,
): NfrDecision['status'] {
  const nfr_details = detailsOf(rendering, status, decided);
  if (decided.length === 0) return { nfr_details };
  const replicas = Math.max(...decided.map(({ detail }) => detail.recommended));
  const applied = [...decided.flatMap(({ nfr }) => auditOf(nfr)), ...resources.audit];
  const nfr_recommendations = { ...status.nfr_recommendations, replicas, ...highestOf(resources) };
  if (applied.length === 0) return { nfr_details, nfr_recommendations };
  const all = [...(status.last_applied_recommendations ?? []), ...applied];
  return {
    nfr_details,
    nfr_recommendations,
    last_applied_recommendations: all.slice(-MOST_APPLIED),
    last_applied_at: formatTime(now),
  };
}

/** Of each resource the most that a function needs. */
function highestOf({ details }: ResourceDecision): Readonly<Record<string, number>> {
  const most = new Map<string, number>();
  for (const { dimension, recommended } of details)
    most.set(dimension, Math.max(recommended, most.get(dimension) ?? 0));
  return Object.fromEntries(most);
}

/** In the order of the spec. A function without a Deployment keeps its last entry. */
function detailsOf(
  rendering: Facts['rendering'],
  { nfr_details: stored = [] }: ClassRuntimeStatus,
  decided: readonly DecidedFunction[],
): readonly NfrDetail[] | undefined {
  if (rendering === undefined) return stored.length === 0 ? undefined : stored;
  const all = [...stored, ...decided.map(({ detail }) => detail)];
  // What was decided now comes last, and replaces what is stored.
  const latest = new Map(all.map((one) => [one.function_key, one]));
  const kept = rendering.functions.flatMap(({ key }) => latest.get(key) ?? []);
  return kept.length === 0 ? undefined : kept;
}

function auditOf({ applied, function: { key } }: FunctionNfr): readonly AppliedRecommendation[] {
  if (applied === undefined) return [];
  const what = { component: 'function', function_key: key, dimension: 'replicas' };
  return [{ ...what, target: applied, basis: 'enforcer', confidence: 1 }];
}

/** Whatever the load is, and whenever it was read. */
const NOT_ENFORCED: readonly string[] = ['SkipMode', 'SkipDimension', 'SkipDisabled'];

function soonest(
  decided: readonly DecidedFunction[],
  others: readonly number[],
  now: Date,
): number | undefined {
  const waits = decided.flatMap(({ nfr, enforced: { decision, wait } }) => {
    const isSkipped = NOT_ENFORCED.includes(decision) || !nfr.isFresh;
    const stale =
      isSkipped || nfr.freshUntil === undefined ? [] : [(nfr.freshUntil - now.getTime()) / 1000 + 1];
    return [...(wait === undefined ? [] : [wait]), ...stale];
  });
  const all = [...waits, ...others];
  return all.length === 0 ? undefined : Math.max(1, Math.ceil(Math.min(...all)));
}
