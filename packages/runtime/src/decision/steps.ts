import type { KubeObject, Stored } from '@kubewright/kube';
import type { ReconcileContext, Request } from '../controller/reconciler.ts';
import type { Manager } from '../manager/manager.ts';
import type { Decision } from './decision.ts';

/** What `observe` and `act` work with. */
export type Io = Pick<Manager, 'client' | 'cache' | 'clock' | 'random'> & ReconcileContext;

/** Why a write cannot be done as it is. `code` is the HTTP status, where a server rejected it. */
export type Refusal = { readonly reason: string; readonly message: string; readonly code?: number };

/** `conflict`: the world is not as it was observed, look again. */
export type ActOutcome = 'done' | 'conflict' | Refusal;

/** An action that was carried out, and the reason of its decision. */
export type Done<A> = { readonly reason: string; readonly action: A };

/** A controller in four functions; {@link decisions} runs them. `O` is what is observed, see {@link Decision} for `A` and `S`. */
export type Steps<O, A, S, T extends KubeObject = KubeObject> = {
  /** Reads all that a decision needs, and only reads. `undefined`: there is nothing to decide on. */
  observe(request: Request, io: Io): Promise<O | undefined> | O | undefined;
  /**
   * Pure: no I/O, no clock, no randomness. `done` has the actions that were carried out since this reconcile began: a
   * write may have no effect (a webhook undoes it), and then the next step may be due all the same.
   */
  decide(observed: O, now: Date, done: readonly Done<A>[]): Decision<A, S>;
  /**
   * Carries one action out: one API call. An `ApiError` that it throws counts as what it is: 409 as a conflict, but for
   * fields of another manager, which are a refusal, as all else that is not retryable; the rest is a failure of the
   * reconcile. Absent where no decision has an action.
   */
  act?(action: A, io: Io): Promise<ActOutcome>;
  /** Whose status it is, and whom Events are about. */
  subject(observed: O): Stored<T>;
  /** What to report of a refusal. Without it, a refusal is a failure of the reconcile. */
  refused?(observed: O, why: Refusal, now: Date): Decision<never, S>;
};
