import { defined } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { Report } from '@kubewright/migratable';
import type { Handover, MigrationStatus, Outcome } from '../api.ts';
import type { MigrationAction, ObservedMigration } from './observed-migration.ts';
import type { StepName } from './step-name.ts';

/** An action that was carried out; the reason of its decision is its step. */
export type Done = { readonly reason: string };

/** The input of a step. */
export type Context = {
  readonly observed: ObservedMigration;
  /** As it will be stored, with the changes of earlier steps of this decision. */
  readonly status: MigrationStatus;
  readonly handover: Handover;
  readonly now: Date;
  /** Steps whose action was carried out in this reconcile. */
  readonly done: readonly Done[];
};

type Changes = { readonly status?: Partial<MigrationStatus>; readonly events?: readonly EventNote[] };

/** The result of a step. */
export type Turn =
  /** One write; then the step runs again. */
  | ({ readonly type: 'act'; readonly action: MigrationAction } & Changes)
  /** Wait for a change, or for some milliseconds. */
  | ({ readonly type: 'wait'; readonly message: string; readonly afterMs?: number } & Changes)
  /** The step is done. */
  | ({ readonly type: 'next' } & Changes)
  /** This handover failed: undo it, and retry from the previous one. */
  | { readonly type: 'fail'; readonly reason: string; readonly message: string }
  /** The source is lost, and its state is not: go on without it, at this step. */
  | { readonly type: 'promote'; readonly step: StepName; readonly reason: string; readonly message: string }
  /** Undo everything, as far as possible. */
  | { readonly type: 'undo'; readonly outcome: Outcome }
  /** The migration would be possible; nothing is done. */
  | ({ readonly type: 'planned'; readonly message: string } & Changes)
  /** Reject the migration before anything was done. */
  | { readonly type: 'reject'; readonly reason: string; readonly message: string };

export const NEXT: Turn = { type: 'next' };

/** The step is done, and changes the status. */
export function next(status: Partial<MigrationStatus>): Turn {
  return { type: 'next', status };
}

export type Wait = Extract<Turn, { readonly type: 'wait' }>;

/** The poll interval of brokers, which have no watch. */
const POLL_MS = 200;

export function wait(message: string, status?: Partial<MigrationStatus>): Wait {
  return { type: 'wait', message, afterMs: POLL_MS, ...defined({ status }) };
}

export function fail(reason: string, message: string): Turn {
  return { type: 'fail', reason, message };
}

/** Only this pod, or node, had the state. */
export function stateLost(message: string): Turn {
  return { type: 'undo', outcome: { phase: 'Failed', reason: 'StateLost', message } };
}

export function promote(step: StepName, reason: string, message: string): Turn {
  return { type: 'promote', step, reason, message };
}

/** Acts once. The action must be idempotent, because its effect cannot be observed. */
export function once(context: Context, action: MigrationAction): Turn {
  return isDone(context) ? NEXT : { type: 'act', action };
}

/** Whether the current step has acted in this reconcile. */
export function isDone({ status, done }: Context): boolean {
  return done.some(({ reason }) => reason === status.step);
}

/** The last report of a pod. */
export function reportOf({ observed: { broker } }: Context, uid: string | undefined): Report | undefined {
  return broker.type === 'reached' && uid !== undefined ? broker.reports.get(uid) : undefined;
}

/** A change of the handover, for the status. */
export function handoverWith({ handover }: Context, changes: Partial<Handover>): Partial<MigrationStatus> {
  return { handover: { ...handover, ...changes } };
}

/** The source is lost, and this is the handover of what was taken from it before. */
export function isWithoutSource({ status, handover }: Pick<Context, 'status' | 'handover'>): boolean {
  return status.sourceLost === true && isFirst(handover);
}

/** The first handover is from the source to the shadow; only it can be undone. */
export function isFirst({ epoch }: Handover): boolean {
  return epoch === 1;
}
