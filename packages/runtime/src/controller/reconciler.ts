import type { Stored } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';

/**
 * The key of the object to reconcile, never the object. Reconciling is level-based: it reads the current state, not the
 * change that led here, and several changes may lead to one call.
 */
export type Request = { readonly namespace?: string; readonly name: string };

/**
 * When to reconcile again: without `requeueAfter` and `requeue`, at the next change. The request is requeued with
 * `priority`, by default its present one.
 */
export type Result = {
  /** Milliseconds. */
  readonly requeueAfter?: number;
  /** Requeues with the queue's backoff, and not before `requeueAfter`, as after a failure, but without counting as one. */
  readonly requeue?: true;
  /** With `requeue`, the reason: shown in `manager.health()` after five times in a row. */
  readonly problem?: string;
  readonly priority?: number;
};

export type ReconcileContext = {
  /** Aborted when the manager's stop times out, or when the reconcile exceeds `reconcileTimeoutMs`. */
  readonly signal: AbortSignal;
  /** Names the controller and the object. */
  readonly log: Logger;
  /** The controller's name. */
  readonly controller: string;
};

/**
 * Brings one object towards its desired state. An error is retried with backoff, unless it is a `terminalError`. No result
 * is the same as `{}`. Must be idempotent.
 */
export type Reconciler = { reconcile(request: Request, context: ReconcileContext): Promise<Result | void> };

/** The request for an object. */
export function requestFor({ metadata }: Stored): Request {
  const { namespace, name } = metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** `namespace/name`, or `name`. */
export function formatRequest({ namespace, name }: Request): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
