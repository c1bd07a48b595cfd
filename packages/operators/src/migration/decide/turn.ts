import type { EventNote } from '@kubewright/runtime';
import type { Report } from '@kubewright/migratable';
import type { Handover, MigrationStatus, Outcome } from '../api.ts';
import type { MigrationAction, ObservedMigration } from './observed-migration.ts';

/** An action that was carried out, by the reason of its decision: its step. */
export type Done = { readonly reason: string };

/** What a step works with. */
export type Context = {
  readonly observed: ObservedMigration;
  /** As it will be stored: earlier steps of this decision are in it. */
  readonly status: MigrationStatus;
  readonly handover: Handover;
  readonly now: Date;
  /** Steps whose action was carried out since this reconcile began. */
  readonly done: readonly Done[];
};

type Changes = { readonly status?: Partial<MigrationStatus>; readonly events?: readonly EventNote[] };

/** What a step wants. */
export type Turn =
  /** One write, and then another look at the same step. */
  | ({ readonly type: 'act'; readonly action: MigrationAction } & Changes)
  /** Nothing to do until something changes, or for so many milliseconds. */
  | ({ readonly type: 'wait'; readonly message: string; readonly afterMs?: number } & Changes)
  /** The step is over. */
  | ({ readonly type: 'next' } & Changes)
  /** This handover has failed: it is undone, and the last one tried again. */
  | { readonly type: 'fail'; readonly reason: string; readonly message: string }
  /** All is undone, as far as it can be. */
  | { readonly type: 'undo'; readonly outcome: Outcome }
  /** Nothing was done yet, and nothing will be. */
  | { readonly type: 'reject'; readonly reason: string; readonly message: string };

export const NEXT: Turn = { type: 'next' };

/** The step is over, and the status says more. */
export function next(status: Partial<MigrationStatus>): Turn {
  return { type: 'next', status };
}

/** How often brokers are asked while something is awaited that no watch tells of. */
const POLL_MS = 200;

export function wait(message: string, status?: Partial<MigrationStatus>): Turn {
  return { type: 'wait', message, afterMs: POLL_MS, ...(status === undefined ? {} : { status }) };
}

export function fail(reason: string, message: string): Turn {
  return { type: 'fail', reason, message };
}

/** Acts once; the action is one whose effect nobody can see, and that may be repeated. */
export function once(context: Context, action: MigrationAction): Turn {
  return isDone(context) ? NEXT : { type: 'act', action };
}

/** Whether the present step has acted since this reconcile began. */
export function isDone({ status, done }: Context): boolean {
  return done.some(({ reason }) => reason === status.step);
}

/** The last report of a pod. */
export function reportOf({ observed: { broker } }: Context, uid: string | undefined): Report | undefined {
  return broker.type === 'reached' && uid !== undefined ? broker.reports.get(uid) : undefined;
}

/** The status with changes of the handover. */
export function handoverWith({ handover }: Context, changes: Partial<Handover>): Partial<MigrationStatus> {
  return { handover: { ...handover, ...changes } };
}

/** The first handover is from the source to the shadow; it alone can be undone. */
export function isFirst({ epoch }: Handover): boolean {
  return epoch === 1;
}
