import type { Stored } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';

/**
 * What is to be reconciled: an object's key, never the object. Reconciling is level-based: it looks at the state
 * as it is now, not at the change that led here, and several changes may lead to one call.
 */
export type Request = { readonly namespace?: string; readonly name: string };

/**
 * What a reconciler wants next: without `requeueAfter` and `requeue`, the next change. It comes back with `priority`, by
 * default the one that it came with.
 */
export type Result = {
  /** Milliseconds. */
  readonly requeueAfter?: number;
  /** Comes back after the queue's back-off, and not before `requeueAfter`, as after a failure, but without being one. */
  readonly requeue?: true;
  /** With `requeue`, why it comes back, in words: shown in `manager.health()` when it happens five times in a row. */
  readonly problem?: string;
  readonly priority?: number;
};

export type ReconcileContext = {
  /** Aborted when the manager stops and no longer waits, or when the reconcile takes longer than it may. */
  readonly signal: AbortSignal;
  /** Names the controller and the object. */
  readonly log: Logger;
  /** The controller's name. */
  readonly controller: string;
};

/**
 * Brings one object towards what is wanted. A rejection is tried again later, the later the more often it fails;
 * one made by `terminalError` is not. No result is the same as `{}`. Must be safe to call at any time and any number of times.
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
