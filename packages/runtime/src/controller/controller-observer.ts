import type { QueueObserver } from '../queue/work-queue.ts';

/** How a reconcile ended, as controller-runtime counts it. */
export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after' | 'terminal_error';

/** Told what a controller does; metrics hang here. Times are milliseconds. Must not throw. */
export type ControllerObserver = {
  readonly queue?: QueueObserver;
  readonly onStart?: (workers: number) => void;
  readonly onReconcile?: (outcome: ReconcileOutcome, tookMs: number) => void;
  /** The reconciler threw what only a mistake in the program throws: a `TypeError`, a `RangeError`, … */
  readonly onPanic?: () => void;
  /** A reconcile took longer than its `reconcileTimeoutMs`. */
  readonly onTimeout?: () => void;
  readonly onActive?: (workers: number) => void;
};
