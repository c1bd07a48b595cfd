import type { KubeObject, Stored } from '@kubewright/kube';
import type { ReconcileContext, Request } from '../controller/reconciler.ts';
import type { Manager } from '../manager/manager.ts';
import type { Decision } from './decision.ts';

/** What `observe` and `act` use. */
export type Io = Pick<Manager, 'client' | 'cache' | 'clock' | 'random'> & ReconcileContext;

/** Why a write was rejected. `code` is the HTTP status, where a server rejected it. */
export type Refusal = { readonly reason: string; readonly message: string; readonly code?: number };

/** `conflict`: the state has changed since it was observed. */
export type ActOutcome = 'done' | 'conflict' | Refusal;

/** An action that was carried out, and the reason of its decision. */
export type Done<A> = { readonly reason: string; readonly action: A };

/** A controller in four functions; {@link decisions} runs them. `O` is what is observed, see {@link Decision} for `A` and `S`. */
export type Steps<O, A, S, T extends KubeObject = KubeObject> = {
  /** Reads everything that a decision needs, and only reads. `undefined`: there is nothing to decide on. */
  observe(request: Request, io: Io): Promise<O | undefined> | O | undefined;
  /**
   * Pure: no I/O, no clock, no randomness. `done` has the actions of this reconcile so far: an action may have had no
   * effect, because a webhook undid it, and the next step may be due all the same.
   */
  decide(observed: O, now: Date, done: readonly Done<A>[]): Decision<A, S>;
  /**
   * Carries out one action: one API call. Of the errors that it throws, a 409 is a conflict; an apply that meets fields of
   * another manager, and every `ApiError` that is not retryable, is a rejected write; any other fails the reconcile. Absent
   * where no decision has an action.
   */
  act?(action: A, io: Io): Promise<ActOutcome>;
  /** The object whose status is written and that Events are about. */
  subject(observed: O): Stored<T>;
  /** What to report of a rejected write. Without it, a rejected write fails the reconcile. */
  refused?(observed: O, why: Refusal, now: Date): Decision<never, S>;
};
