import { formatTime, type KubeObject, type Stored } from '@kubewright/kube';
import type { Decision, EventNote } from '@kubewright/runtime';
import type { OwnershipReport, ResourceState } from '../api.ts';
import type { MigrationPolicy } from '../migration-policy.ts';
import type { MigrationPlan } from './migration-plan.ts';
import { reportBlocked } from './report-moved.ts';
import type { Rewrite } from './rewrite.ts';

/** One write to the object of a manifest. Each is guarded by the resourceVersion of `live`. */
export type ResourceAction =
  | {
      readonly type: 'apply';
      readonly object: KubeObject;
      /** What it is applied to; absent where it is created. */
      readonly live?: Stored;
    }
  | {
      readonly type: 'rewrite';
      readonly rewrite: Rewrite;
      readonly live: Stored;
      /** To be reported when it is done; absent where nothing is taken from anybody. */
      readonly report?: OwnershipReport;
    }
  | { readonly type: 'delete'; readonly live: Stored; readonly propagation: 'Background' | 'Foreground' };

export type ResourceDecision = Decision<ResourceAction, ResourceState>;

/** What a decision knows beside what was observed. */
export type DecideContext = {
  /** What the slice's status says of this manifest, and what was moved since. */
  readonly previous: ResourceState;
  readonly policy: MigrationPolicy;
  readonly now: Date;
  /** Whether the manifest carries `eno.azure.io/readiness*` expressions. */
  readonly hasReadinessChecks: boolean;
  /** How often the manifest was applied since the reconcile began. */
  readonly applies: number;
};

/** How long a refusal that only somebody else's change can lift is left alone. */
const LOOK_AGAIN_MS = 60_000;
/** How long something that is under way is left alone. */
const POLL_MS = 5_000;

/** Nothing is left to do. */
export function done(reason: string, status: ResourceState): ResourceDecision {
  return { reason, status };
}

/** Something else has to happen first. */
export function waiting(reason: string, { previous }: DecideContext): ResourceDecision {
  const { reconciliationError: _error, ...status } = previous;
  return { reason, status: { ...status, reconciled: false }, requeueAfter: POLL_MS };
}

/** It cannot be done as things are. Nothing is written. */
export function failed(
  reason: string,
  message: string,
  { previous }: DecideContext,
  report?: OwnershipReport,
): Decision<never, ResourceState> {
  const status = withReport({ ...previous, reconciled: false, reconciliationError: message }, report);
  const isNews = previous.reconciliationError !== message;
  const events = isNews ? [note('Warning', 'ReconciliationFailed', message)] : [];
  return { reason, status, events, requeueAfter: LOOK_AGAIN_MS };
}

/** A removal would need claims that may not be moved. Nothing is written, so that the wish to remove is not lost. */
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

/**
 * The state of a manifest that is as it should be. A first time stays. Readiness checks are expressions that are not
 * evaluated yet, so a manifest that has any does not become ready.
 */
export function settled({ previous, now, hasReadinessChecks }: DecideContext): ResourceState {
  const ready = previous.ready ?? (hasReadinessChecks ? undefined : formatTime(now));
  return {
    reconciled: true,
    ...(ready === undefined ? {} : { ready }),
    ...(previous.ownership === undefined ? {} : { ownership: previous.ownership }),
  };
}

/** The state with this report, or with none. */
export function withReport(state: ResourceState, report: OwnershipReport | undefined): ResourceState {
  const { ownership: _ownership, ...rest } = state;
  return report === undefined ? rest : { ...rest, ownership: report };
}

export function note(type: EventNote['type'], reason: string, message: string): EventNote {
  return { type, reason, message };
}
