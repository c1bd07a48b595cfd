/** What went wrong in the runtime itself. Failures of API calls stay `ApiError`s. */
export type RuntimeErrorCode =
  /** A reconciler says that trying again is useless. */
  | 'Terminal'
  /** The cache was asked for a kind that nobody watches. */
  | 'NotCached'
  /** The cache was asked for an index that nobody declared. */
  | 'NoIndex'
  /** Something was added or started twice, or in the wrong order. */
  | 'InvalidState'
  /** A reconciler returned a result that makes no sense. */
  | 'InvalidResult'
  /** Kubernetes allows no such owner reference, or the owner has no uid. */
  | 'InvalidOwner'
  /** An object that was to be owned is another's, or nobody's. */
  | 'AlreadyOwned'
  /** Something did not happen in time. */
  | 'TimedOut'
  /** A call was given up before it was done. */
  | 'Aborted'
  /** A write was not sent: it needs a Lease that is not surely held. */
  | 'NotLeading'
  /** The Lease was held and is no more: the process has to start anew. */
  | 'LeaseLost'
  /** A write that a decision asked for was rejected, and its steps do not say what to do then. */
  | 'Refused'
  /** A webhook refuses an admission request. */
  | 'Denied';

/** The one error class of this package. */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  /** Whether the same may succeed later. */
  readonly retryable: boolean;

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
    this.retryable = code === 'TimedOut' || code === 'Aborted';
  }
}

/**
 * Thrown by a reconciler to say that this object cannot be reconciled as it is: logged and counted, but not tried
 * again until the object changes.
 */
export function terminalError(message: string, cause?: unknown): RuntimeError {
  return new RuntimeError('Terminal', message, { cause });
}

export function isTerminal(error: unknown): boolean {
  return error instanceof RuntimeError && error.code === 'Terminal';
}
