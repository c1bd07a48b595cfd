import { defined, formatTime, type Status, type Stored } from '@kubewright/kube';
import { atVersion } from '../../kit/any-kind-api.ts';
import { FieldSet } from '@kubewright/kube/fields';
import { ANNOTATIONS, FIELD_MANAGER, type OwnershipReport, PROBE_MANAGER } from '../api.ts';
import { readApplied, withApplied } from './applied-fields.ts';
import type { ObservedResource } from './observed-resource.ts';
import { type MigrationPolicy, policyFor } from '../migration-policy.ts';
import type { DesiredManifest } from '../read-manifest.ts';
import { newOwner, ownSet } from '../read-managed-fields.ts';
import { withContested, withoutContested } from './contested-values.ts';
import { decideMerge } from './decide-merge.ts';
import { decidePatch, deletesTarget } from './decide-patch.ts';
import { decideReplace } from './decide-replace.ts';
import { decideTombstone } from './decide-tombstone.ts';
import { immutability } from './movable.ts';
import {
  blocked,
  type DecideContext,
  done,
  failed,
  gone,
  newsOf,
  note,
  type ResourceDecision,
  settled,
  waiting,
  withReport,
} from './resource-decision.ts';
import type { MigrationPlan, PlanInput } from './migration-plan.ts';
import { planAdopt } from './plan-adopt.ts';
import { planMinimal } from './plan-minimal.ts';
import { planRelease, releasedFields } from './plan-release.ts';
import { planRepair, type VersionRepair } from './repair-version.ts';
import {
  reportBlocked,
  reportContested,
  reportLeft,
  reportMoved,
  reportObserved,
  reportRestored,
} from './report-moved.ts';
import { decideRollback, planHash, rolledBack } from './roll-back.ts';
import { keepLabels, removedLabels, restoredLabels } from './restored-labels.ts';
import { storedPaths } from '../stored-form.ts';
import { sameIntent } from './same-intent.ts';
import {
  decideReclaim,
  removalUndone,
  undoneRemovals,
  wholeRemovals,
  withRemoving,
} from './undone-removals.ts';

/**
 * One apply is not always enough: a server that prunes the last item of a list drops the empty struct around it, and
 * only the next apply restores that (seen on kube-apiserver 1.36). So the result is checked, and applied once more.
 */
const MAX_APPLIES = 2;

/** Decides on the next write for a manifest, at most one. The caller observes again after each. */
export function decideResource(observed: ObservedResource, context: DecideContext): ResourceDecision {
  const previous = withoutContested(context.previous);
  const decision = decideWrite(observed, { ...context, previous });
  return withContested(decision, observed.manifest.contested ?? [], context);
}

function decideWrite(observed: ObservedResource, context: DecideContext): ResourceDecision {
  const { manifest, live } = observed;
  const { settings } = manifest;
  if (settings[ANNOTATIONS.disableReconciliation] === 'true') return gone('Disabled', settled(context));
  if (manifest.patch !== undefined && !deletesTarget(manifest.patch))
    return decidePatch(manifest.patch, observed, context);
  if (manifest.deleted || manifest.patch !== undefined) return decideTombstone(observed, context);
  if (live === undefined) return decideCreate(observed, context);
  if (live.metadata.deletionTimestamp !== undefined) return waiting('Deleting', context);
  if (settings[ANNOTATIONS.disableUpdates] === 'true')
    return done('UpdatesDisabled', settled(context), context);
  return decideUpdate(observed, live, context);
}

function decideUpdate(observed: ObservedResource, live: Stored, context: DecideContext): ResourceDecision {
  if (observed.manifest.settings[ANNOTATIONS.replace] === 'true')
    return decideReplace(observed, live, context);
  if (context.disableApply === true) return decideMerge(observed, live, context);
  return decideApply(observed, live, context);
}

function decideCreate({ manifest: { object } }: ObservedResource, context: DecideContext): ResourceDecision {
  return { reason: 'Create', action: { type: context.disableApply === true ? 'create' : 'apply', object } };
}

function decideApply(observed: ObservedResource, live: Stored, context: DecideContext): ResourceDecision {
  const { manifest, dryRun } = observed;
  const policy = policyFor(manifest.settings, context.policy);
  if (typeof policy === 'string') return failed('InvalidPolicy', policy, context);
  const reclaim = decideReclaim(live, context);
  if (reclaim !== undefined) return reclaim;
  if (dryRun === undefined) return failed('NotObserved', 'the dry run is missing', context);
  if (!dryRun.ok) return decideRefused(observed, live, dryRun.status, policy, context);
  const { plan, instead } = makePlan(
    {
      ...planBase(observed, live, policy, context),
      desired: ownSet(dryRun.object, FIELD_MANAGER),
      dryRun: dryRun.object,
    },
    manifest,
    context,
  );
  if (policy.mode === 'observe') return applied(observed, live, dryRun.object, reportObserved(plan), context);
  if (plan.kind === 'blocked') return blocked(plan.reason, plan.message, plan, context);
  if (plan.kind === 'rewrite') return decideRewrite(plan, observed, live, undefined, context);
  return applied(observed, live, dryRun.object, instead ?? reportLeft(plan.left, context.previous), context);
}

/** Applies the manifest, unless that would change nothing, or the limit of applies is reached. */
function applied(
  { manifest }: ObservedResource,
  live: Stored,
  result: Stored,
  report: OwnershipReport | undefined,
  context: DecideContext,
): ResourceDecision {
  const undone = undoneRemovals(live, result);
  if (undone.length > 0) return removalUndone(undone, context);
  const restored = restoredLabels(live, result);
  const isInSync = sameIntent(live, result, FIELD_MANAGER, FieldSet.of(...restored));
  const removals = [...wholeRemovals(live, result), ...removedLabels(live, result)];
  const said = restored.length === 0 ? report : reportRestored(restored);
  const events = newsOf(said, context);
  if (context.applies >= MAX_APPLIES && removals.length > 0) return removalUndone(removals, context);
  if (isInSync || context.applies >= MAX_APPLIES)
    return done(
      isInSync ? 'InSync' : 'Applied',
      withApplied(withReport(settled(context), said), result),
      context,
      events,
    );
  // After the apply, neither the fields left with others nor the removed ones can be seen: both are recorded before.
  const status = withApplied(withRemoving(withReport(context.previous, said), removals), result);
  return {
    reason: 'Apply',
    status,
    ...(events.length === 0 ? {} : { events }),
    action: { type: 'apply', object: atVersion(keepLabels(manifest.object, live, restored), live), live },
  };
}

function decideRefused(
  observed: ObservedResource,
  live: Stored,
  refusal: Status,
  policy: MigrationPolicy,
  context: DecideContext,
): ResourceDecision {
  const decision = decideRefusal(observed, live, refusal, policy, context);
  return decision.action === undefined ? (decideRollback(refusal, live, context) ?? decision) : decision;
}

function decideRefusal(
  observed: ObservedResource,
  live: Stored,
  refusal: Status,
  policy: MigrationPolicy,
  context: DecideContext,
): ResourceDecision {
  const message = refusal.message ?? 'refused';
  const repair = planRepair(live, refusal, observed.manifest.object.apiVersion);
  if (repair !== undefined && moves(policy)) return decideRepair(repair, live, context);
  const { probe } = observed;
  if (probe === undefined || !probe.ok) return failed('Refused', message, context);
  const { plan } = makePlan(
    {
      ...planBase(observed, live, policy, context),
      desired: ownSet(probe.object, PROBE_MANAGER),
      dryRun: undefined,
    },
    observed.manifest,
    context,
  );
  if (policy.mode === 'observe') {
    return { ...failed('Refused', message, context, reportObserved(plan)), reason: 'Observed' };
  }
  if (plan.kind === 'blocked')
    return blocked(plan.reason, `${plan.message}; without it: ${message}`, plan, context);
  if (plan.kind === 'rewrite') return decideRewrite(plan, observed, live, refusal, context);
  return failed('Refused', message, context, reportLeft(plan.left, context.previous));
}

function moves({ mode }: MigrationPolicy): boolean {
  return mode !== 'off' && mode !== 'observe';
}

function decideRepair(
  { rewrite, message }: VersionRepair,
  live: Stored,
  { previous }: DecideContext,
): ResourceDecision {
  return {
    reason: 'RepairVersion',
    status: previous,
    action: { type: 'rewrite', rewrite, live, ...defined({ report: previous.ownership }) },
    events: [note('Normal', 'OwnershipRepaired', message)],
  };
}

function decideRewrite(
  plan: Extract<MigrationPlan, { kind: 'rewrite' }>,
  { manifest }: ObservedResource,
  live: Stored,
  refusal: Status | undefined,
  context: DecideContext,
): ResourceDecision {
  const immutable = immutability(live, plan, refusal);
  if (immutable !== undefined) return blocked('Immutable', immutable, plan, context);
  const hash = planHash(manifest.object, plan);
  const undone = rolledBack(hash, context);
  if (undone !== undefined) return failed('RolledBack', undone.message, context, undone);
  const report = {
    ...reportMoved(plan.moves, context.previous.ownership, plan.to),
    count: plan.moves.length,
    resourceVersion: live.metadata.resourceVersion,
    time: formatTime(context.now),
  };
  const { isOptional = false } = plan;
  const to = plan.to ?? newOwner({ manager: FIELD_MANAGER, apiVersion: manifest.object.apiVersion });
  return {
    reason: 'Migrate',
    status: context.previous,
    action: { type: 'rewrite', rewrite: plan.rewrite, live, report, isOptional, undo: { hash, to, report } },
    events: [note('Normal', 'OwnershipMigrated', report.message)],
  };
}

function planBase(
  { manifest: { object, delegated = [] } }: ObservedResource,
  live: Stored,
  policy: MigrationPolicy,
  { previous }: DecideContext,
) {
  const own = ownSet(live, FIELD_MANAGER);
  // What was applied before in another form than the stored one has to go all the same.
  const applied = storedPaths(object, readApplied(previous)).union(storedPaths(object, own).difference(own));
  return { live, manager: FIELD_MANAGER, apiVersion: object.apiVersion, policy, applied, delegated };
}

/**
 * The plan for the policy's mode. `observe` plans like `minimal`; the caller writes nothing then. Adoption comes first,
 * because it may leave nothing to move. It is not needed for the apply: where it is contested or the server rejected it,
 * that is reported `instead`, and what the apply itself needs is planned.
 */
function makePlan(
  input: PlanInput,
  { object }: DesiredManifest,
  context: DecideContext,
): { readonly plan: MigrationPlan; readonly instead?: OwnershipReport } {
  const { previous, rejected } = context;
  const { mode } = input.policy;
  if (mode === 'off') return { plan: { kind: 'nothing', left: [] } };
  if (mode === 'release') return { plan: planRelease(input, releasedFields(input)) };
  const plan = mode === 'adopt' ? planAdopt(input) : undefined;
  if (plan === undefined || plan.kind === 'nothing') return { plan: planMinimal(input) };
  if (plan.kind === 'blocked') return { plan };
  const instead =
    rejected === undefined
      ? (rolledBack(planHash(object, plan), context) ?? reportContested(plan.moves, previous.ownership))
      : reportBlocked('Rejected', rejected, plan);
  return instead === undefined
    ? { plan: { ...plan, isOptional: planMinimal(input).kind === 'nothing' } }
    : { plan: planMinimal(input), instead };
}
