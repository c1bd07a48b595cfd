import type { QueueObserver } from '../queue/work-queue.ts';

/** How a reconcile ended, as controller-runtime counts it. */
export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after' | 'terminal_error';

/** Observes a controller, for metrics. Times are milliseconds. Must not throw. */
export type ControllerObserver = {
  readonly queue?: QueueObserver;
  readonly onStart?: (workers: number) => void;
  readonly onReconcile?: (outcome: ReconcileOutcome, tookMs: number) => void;
  /** The reconciler threw an error that only a bug causes: a `TypeError`, a `RangeError`, … */
  readonly onPanic?: () => void;
  /** A reconcile took longer than its `reconcileTimeoutMs`. */
  readonly onTimeout?: () => void;
  readonly onActive?: (workers: number) => void;
};
