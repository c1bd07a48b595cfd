import { defined, formatTime, type Json, type KubeObject, type Stored } from '@kubewright/kube';
import type { Decision, EventNote } from '@kubewright/runtime';
import type { OwnershipReport, ManifestState } from '../api.ts';
import type { MigrationPolicy } from '../migration-policy.ts';
import type { MigrationPlan } from './migration-plan.ts';
import type { Migrated } from './plan-rollback.ts';
import { isOfRestored, reportBlocked } from './report-moved.ts';
import type { Rewrite } from './rewrite.ts';

/** One write to the object of a manifest. Each carries the resourceVersion of `live`. */
export type ResourceAction =
  /** Without server-side apply. */
  | { readonly type: 'create'; readonly object: KubeObject }
  | {
      readonly type: 'apply';
      readonly object: KubeObject;
      /** The live object; absent for a create. */
      readonly live?: Stored;
    }
  | {
      readonly type: 'rewrite';
      readonly rewrite: Rewrite;
      readonly live: Stored;
      /** The report after the rewrite; absent if no manager loses a field. */
      readonly report?: OwnershipReport;
      /** Where the server rejects it, the manifest is applied all the same. */
      readonly isOptional?: boolean;
      /** Of a rewrite that is undone if the apply is rejected. */
      readonly undo?: Pick<Migrated, 'hash' | 'to' | 'report'>;
    }
  | { readonly type: 'replace'; readonly object: KubeObject; readonly live: Stored }
  | { readonly type: 'patch'; readonly operations: readonly Json[]; readonly live: Stored }
  | { readonly type: 'delete'; readonly live: Stored; readonly propagation: 'Background' | 'Foreground' };

/** A write to the slices of other Compositions that want the object and do not have it on record. */
export type HandOver = { readonly type: 'handOver'; readonly live: Stored };

export type ResourceDecision = Decision<ResourceAction | HandOver, ManifestState>;

/** The input of a decision besides the observation. */
export type DecideContext = {
  /** The slice's status for this manifest, with what was moved since. */
  readonly previous: ManifestState;
  readonly policy: MigrationPolicy;
  /** Whether objects are merged and replaced in place of server-side apply. */
  readonly disableApply?: boolean;
  readonly now: Date;
  /** Since when the readiness checks of the manifest pass; absent: not all of them do. */
  readonly readySince: string | undefined;
  /** Milliseconds until an object in sync is looked at again; absent: when something about it changes. */
  readonly interval: number | undefined;
  /** Whether a failure counts as success (`eno.azure.io/fail-open`). */
  readonly failOpen: boolean;
  /** Whether the object exists. */
  readonly exists: boolean;
  /** Why the server rejected a rewrite in this reconcile that was optional. */
  readonly rejected: string | undefined;
  /** What this reconcile moved. */
  readonly migrated?: Migrated;
  /** How often the manifest was applied in this reconcile. */
  readonly applies: number;
};

/**
 * The delay before an object is looked at again that is not ready, is terminating, or failed. Its namespace or kind may
 * be created, and no event reports that.
 */
export const POLL_MS = 5_000;
/** The delay before a write is tried again that had no effect: the server or a webhook undid it. */
const UNDONE_MS = 60_000;

/** Nothing is left to do: for now, while a check fails, drift is to be corrected, or a webhook puts back what goes. */
export function done(
  reason: string,
  status: ManifestState,
  { interval }: Pick<DecideContext, 'interval'>,
  events: readonly EventNote[] = [],
): Decision<never, ManifestState> {
  const { ready, ownership } = status;
  const rests = ownership !== undefined && isOfRestored(ownership) ? UNDONE_MS : undefined;
  const requeueAfter = ready === undefined ? POLL_MS : leastOf(rests, interval);
  return { reason, status, ...(events.length === 0 ? {} : { events }), ...defined({ requeueAfter }) };
}

/** The Events of a report that something is not moved although the manifest is applied; recorded once. */
export function newsOf(
  report: OwnershipReport | undefined,
  { previous }: DecideContext,
): readonly EventNote[] {
  const isNews = previous.ownership?.message !== report?.message;
  if (report === undefined || !isNews) return [];
  if (report.state === 'Contested') return [note('Warning', 'OwnershipContested', report.message)];
  return report.state === 'Blocked' ? [note('Warning', 'OwnershipBlocked', report.message)] : [];
}

function leastOf(...delays: readonly (number | undefined)[]): number | undefined {
  const defined = delays.filter((delay) => delay !== undefined);
  return defined.length === 0 ? undefined : Math.min(...defined);
}

/** The object is gone or released: nothing is looked at again. */
export function gone(reason: string, status: ManifestState): ResourceDecision {
  return { reason, status: { ...status, deleted: true } };
}

/** Waits for something in progress. */
export function waiting(reason: string, { previous }: DecideContext): ResourceDecision {
  const { reconciliationError: _error, ...status } = previous;
  return { reason, status: { ...status, reconciled: false }, requeueAfter: POLL_MS };
}

/** It cannot be done now. Nothing is written. */
export function failed(
  reason: string,
  message: string,
  context: DecideContext,
  report?: OwnershipReport,
): Decision<never, ManifestState> {
  const { previous } = context;
  if (context.failOpen) return failedOpen(context);
  const status = withReport({ ...previous, reconciled: false, reconciliationError: message }, report);
  const isNews = previous.reconciliationError !== message;
  const events = isNews ? [note('Warning', 'ReconciliationFailed', message)] : [];
  return { reason, status, events, requeueAfter: POLL_MS };
}

/** The failure counts as success; an object that does not exist counts as deleted, as in the original. */
function failedOpen(context: DecideContext): Decision<never, ManifestState> {
  const deleted = context.exists ? {} : { deleted: true };
  return done('FailedOpen', { ...settled(context), ...deleted }, context);
}

/** A write had no effect. It is tried again after a while: until then nothing is written. */
export function undone(
  reason: string,
  message: string,
  context: DecideContext,
  report?: OwnershipReport,
): Decision<never, ManifestState> {
  return { ...failed(reason, message, context, report), requeueAfter: UNDONE_MS };
}

/** A removal needs ownership that may not be moved. Nothing is written, so that the removal stays pending. */
export function blocked(
  reason: string,
  message: string,
  plan: MigrationPlan,
  context: DecideContext,
): ResourceDecision {
  const decision = failed(reason, message, context, reportBlocked(reason, message, plan));
  const events = (decision.events ?? []).map((event) => ({ ...event, reason: 'OwnershipBlocked' }));
  return { ...decision, events };
}

/** The state of a manifest in sync. The first ready time stays, whatever the checks return later. */
export function settled({ previous, readySince }: DecideContext): ManifestState {
  const ready = previous.ready ?? readySince;
  return {
    reconciled: true,
    ...defined({ ready, ownership: previous.ownership, applied: previous.applied }),
  };
}

/** The state of an object that must not exist, and does not: nothing waits for it to become ready. */
export function settledGone(context: DecideContext): ManifestState {
  return { ready: formatTime(context.now), ...settled(context) };
}

/** Replaces or removes the report. */
export function withReport(state: ManifestState, report: OwnershipReport | undefined): ManifestState {
  const { ownership: _ownership, ...rest } = state;
  return report === undefined ? rest : { ...rest, ownership: report };
}

export function note(type: EventNote['type'], reason: string, message: string): EventNote {
  return { type, reason, message };
}
