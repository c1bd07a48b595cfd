import type { KubeObject, Status } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { ANNOTATIONS, FIELD_MANAGER, PROBE_MANAGER } from '../constants.ts';
import { atVersion } from '../observe/at-version.ts';
import type { ObservedResource } from '../observe/observe-resource.ts';
import { type MigrationPolicy, policyFor } from '../policy.ts';
import type { Answer } from '../target.ts';
import { ownClaim, readClaims } from './claims.ts';
import { immutability } from './job-template.ts';
import { makePlan } from './make-plan.ts';
import type { MigrationPlan } from './plan.ts';
import { blocked, done, failed, note, settled, waiting, withReport, write } from './outcomes.ts';
import { reportLeft, reportMoved, reportObserved } from './report.ts';
import type { DecideContext, ResourceDecision } from './resource-decision.ts';
import { sameIntent } from './same-intent.ts';

/** One step towards what a manifest asks for: at most one write. The caller observes again after each. */
export function decideResource(observed: ObservedResource, context: DecideContext): ResourceDecision {
  const { manifest, live } = observed;
  const { settings } = manifest;
  const isPatch = manifest.object.kind === 'Patch' && manifest.object.apiVersion.startsWith('eno.azure.io/');
  if (settings[ANNOTATIONS.disableReconciliation] === 'true')
    return done('Disabled', { ...settled(context), deleted: true });
  if (isPatch) return failed('Unsupported', 'manifests of kind Patch are not supported', context);
  if (settings[ANNOTATIONS.replace] === 'true')
    return failed('Unsupported', `${ANNOTATIONS.replace} is not supported`, context);
  if (manifest.deleted) return decideTombstone(observed, context);
  if (live === undefined)
    return write('Create', { type: 'apply', object: manifest.object }, settled(context));
  if (live.metadata.deletionTimestamp !== undefined) return waiting('Deleting', context);
  if (settings[ANNOTATIONS.disableUpdates] === 'true') return done('UpdatesDisabled', settled(context));
  return decideApply(observed, live, context);
}

function decideTombstone({ manifest, live }: ObservedResource, context: DecideContext): ResourceDecision {
  const strategy = (manifest.settings[ANNOTATIONS.deletionStrategy] ?? '').toLowerCase();
  const gone = live === undefined || strategy === 'orphan';
  if (gone) return done('Gone', { ...settled(context), deleted: true });
  if (live.metadata.deletionTimestamp === undefined) {
    const propagation = strategy === 'foreground' ? 'Foreground' : 'Background';
    return write('Delete', { type: 'delete', live, propagation }, context.previous);
  }
  if (strategy === 'foreground') return waiting('Deleting', context);
  return done('Gone', { ...settled(context), deleted: true });
}

function decideApply(observed: ObservedResource, live: KubeObject, context: DecideContext): ResourceDecision {
  const { manifest, dryRun } = observed;
  const policy = policyFor(manifest.settings, context.policy);
  if (typeof policy === 'string') return failed('InvalidPolicy', policy, context);
  if (dryRun === undefined) return failed('NotObserved', 'the dry run is missing', context);
  if (!dryRun.ok) return decideRefused(observed, live, dryRun.status, policy, context);
  const plan = makePlan({
    ...planBase(live, manifest.object, policy),
    desired: ownSet(dryRun, FIELD_MANAGER),
    dryRun: dryRun.object,
  });
  if (policy.mode !== 'observe' && plan.kind === 'blocked')
    return blocked(plan.reason, plan.message, plan, context);
  if (policy.mode !== 'observe' && plan.kind === 'rewrite')
    return decideRewrite(plan, live, undefined, context);
  const report =
    policy.mode === 'observe' ? reportObserved(plan) : reportLeft(plan.obstacles, context.previous);
  const status = withReport(settled(context), report);
  if (sameIntent(live, dryRun.object, FIELD_MANAGER)) return done('InSync', status);
  return write('Apply', { type: 'apply', object: atVersion(manifest.object, live) }, status);
}

function decideRefused(
  observed: ObservedResource,
  live: KubeObject,
  refusal: Status,
  policy: MigrationPolicy,
  context: DecideContext,
): ResourceDecision {
  const message = refusal.message ?? 'refused';
  if (hasRaced(observed)) return { ...waiting('Conflict', context), requeueAfter: 0 };
  const { probe } = observed;
  if (probe === undefined || !probe.ok) return failed('Refused', message, context);
  const plan = makePlan({
    ...planBase(live, observed.manifest.object, policy),
    desired: ownSet(probe, PROBE_MANAGER),
    dryRun: undefined,
  });
  if (policy.mode === 'observe') {
    return { ...failed('Refused', message, context, reportObserved(plan)), reason: 'Observed' };
  }
  if (plan.kind === 'blocked')
    return blocked(plan.reason, `${plan.message}; without it: ${message}`, plan, context);
  if (plan.kind === 'rewrite') return decideRewrite(plan, live, refusal, context);
  return failed('Refused', message, context, reportLeft(plan.obstacles, context.previous));
}

function decideRewrite(
  plan: Extract<MigrationPlan, { kind: 'rewrite' }>,
  live: KubeObject,
  refusal: Status | undefined,
  context: DecideContext,
): ResourceDecision {
  const immutable = immutability(live, plan, refusal);
  if (immutable !== undefined) return blocked('Immutable', immutable, plan, context);
  const report = reportMoved(plan.moves);
  return {
    reason: 'Migrate',
    status: { ...context.previous, ownership: report },
    actions: [{ type: 'rewrite', rewrite: plan.rewrite, live }],
    events: [note('Normal', 'OwnershipMigrated', report.message)],
  };
}

function planBase(live: KubeObject, object: KubeObject, policy: MigrationPolicy) {
  return { live, manager: FIELD_MANAGER, apiVersion: object.apiVersion, policy };
}

/** The object changed since it was read: what the server said to one call and to the other is not of one moment. */
function hasRaced({ dryRun, probe }: ObservedResource): boolean {
  return [dryRun, probe].some((answer) => answer?.ok === false && answer.status.code === 409);
}

/** What an answered apply gave `manager`. */
function ownSet(answer: Extract<Answer, { ok: true }>, manager: string): FieldSet {
  return ownClaim(readClaims(answer.object).claims, manager)?.set ?? FieldSet.EMPTY;
}
