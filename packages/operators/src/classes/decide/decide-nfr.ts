import { defined, formatTime } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { AppliedRecommendation, ClassRuntimeStatus, NfrDetail } from '../api.ts';
import { enforcementMode, enforces, isEnforced } from '../enforcement-mode.ts';
import { isRaised, ownMinimum } from './autoscaler-of.ts';
import { observedCondition } from './observed-condition.ts';
import { decideResources, type ResourceDecision } from './decide-resources.ts';
import { enforce, type Enforced } from './enforce.ts';
import type { Facts } from './facts.ts';
import type { FunctionNfr } from './function-nfr.ts';
import { historyOf } from './history-of.ts';
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

type NfrCondition = { readonly is: boolean; readonly reason: string; readonly message: string };
type Decided = { readonly nfr: FunctionNfr; readonly enforced: Enforced; readonly detail: NfrDetail };

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
    events: [...problemNow(facts, observed), ...decided.flatMap((one) => eventsOf(one)), ...resources.events],
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
  decided: readonly Decided[],
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
  decided: readonly Decided[],
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

/** True when every function has what is recommended, in the dimensions that are enforced. */
function enforcedCondition(
  { runtime }: Facts,
  decided: readonly Decided[],
  resources: ResourceDecision,
): NfrCondition {
  const isOn = enforcementMode(runtime) === 'enforce';
  if (decided.length === 0) return { is: false, reason: isOn ? 'NoRecommendation' : 'SkipMode', message: '' };
  const failure = decided
    .flatMap(({ detail: { enforcement, resources: sizes = [] } }) => [
      enforcement,
      ...sizes.map((size) => size.enforcement),
    ])
    .map((each) => each?.failure)
    .find((each) => each !== undefined);
  if (failure !== undefined) return { is: false, reason: failure.reason, message: failure.message };
  const hasSizes = resources.details.some(({ dimension }) => isEnforced(runtime, dimension));
  const isDone = ({ enforced: { decision } }: Decided): boolean =>
    decision === 'NoChange' || (hasSizes && decision === 'SkipDimension');
  const next = decided.find((one) => !isDone(one));
  const open = next?.enforced.decision ?? resources.open;
  return {
    is: open === undefined,
    reason: open ?? 'Enforced',
    message: next === undefined ? '' : ownedText(next),
  };
}

/** Who keeps the replicas that are not ours to set. */
function ownedText({ enforced: { decision }, nfr }: Decided): string {
  if (decision !== 'SkipOwned') return '';
  return `${nfr.owner?.name} keeps the replicas of ${nfr.function.key}: nothing is enforced against it`;
}

function soonest(decided: readonly Decided[], others: readonly number[], now: Date): number | undefined {
  const waits = decided.flatMap(({ nfr, enforced: { decision, wait } }) => {
    const isSkipped = decision === 'SkipMode' || decision === 'SkipDimension' || !nfr.isFresh;
    const stale =
      isSkipped || nfr.freshUntil === undefined ? [] : [(nfr.freshUntil - now.getTime()) / 1000 + 1];
    return [...(wait === undefined ? [] : [wait]), ...stale];
  });
  const all = [...waits, ...others];
  return all.length === 0 ? undefined : Math.max(1, Math.ceil(Math.min(...all)));
}

const SKIPPED: Readonly<Partial<Record<string, readonly [reason: string, message: string]>>> = {
  WaitCooldown: ['NFRSkippedCooldown', 'the cooldown after the last change has not passed'],
  WaitStability: ['NFRSkippedStability', 'the recommendation has to be stable first'],
  SkipStale: ['NFRSkippedStale', 'the load was not read lately'],
  SkipOwned: ['NFRSkippedOwned', 'another controller keeps the replicas'],
  SkipPartial: ['NFRSkippedPartial', 'the load may be more than what is known of it'],
};

/** Once for each problem with the load, until another one or none was there. */
function problemNow({ status, load }: Facts, { is, reason, message }: NfrCondition): readonly EventNote[] {
  const before = status.conditions?.find(({ type }) => type === 'NfrObserved');
  if (is || load === undefined || message === '' || before?.reason === reason) return [];
  return [{ type: 'Warning', reason: `NFR${reason}`, message }];
}

/** Once per change of decision or target. */
function eventsOf({ nfr, detail, enforced }: Decided): readonly EventNote[] {
  const { function_key, recommended, enforcement } = detail;
  const notes = [
    nfr.applied === undefined
      ? undefined
      : (['NFRApplied', `Applied NFR enforcement: replicas -> ${nfr.applied}`] as const),
    isClampedNow(nfr, detail)
      ? (['NFRClampedMax', `${recommended} replicas are more than allowed`] as const)
      : undefined,
    skippedNow(nfr, detail),
    isBoundedNow(nfr, detail, enforced)
      ? (['NFRDeltaBounded', `${enforced.step} replicas now, ${enforcement?.target} in the end`] as const)
      : undefined,
  ];
  return notes.flatMap((note) =>
    note === undefined
      ? []
      : [{ type: 'Normal' as const, reason: note[0], message: `${note[1]} (${function_key})` }],
  );
}

function isClampedNow({ stored }: FunctionNfr, { enforcement }: NfrDetail): boolean {
  const before = stored?.enforcement;
  const isSame = before?.clamped === 'max' && before.target === enforcement?.target;
  return enforcement?.clamped === 'max' && !isSame;
}

function skippedNow(
  { stored }: FunctionNfr,
  { decision, enforcement }: NfrDetail,
): readonly [string, string] | undefined {
  const isSame = stored?.decision === decision && stored.enforcement?.target === enforcement?.target;
  return isSame ? undefined : SKIPPED[decision];
}

function isBoundedNow({ stored }: FunctionNfr, { enforcement }: NfrDetail, { step }: Enforced): boolean {
  const applying = enforcement?.applying?.replicas;
  const isStep = applying !== undefined && applying === step && step !== enforcement?.target;
  return isStep && stored?.enforcement?.applying?.replicas !== step;
}
