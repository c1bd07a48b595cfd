/** Codes of the runtime's own errors. Failures of API calls stay `ApiError`s. */
export type RuntimeErrorCode =
  /** A reconciler's error that a retry cannot fix. */
  | 'Terminal'
  /** A cache read of a kind without an informer. */
  | 'NotCached'
  /** A cache read by an unknown index. */
  | 'NoIndex'
  /** Added or started twice, or in the wrong order. */
  | 'InvalidState'
  /** A reconciler returned an invalid result. */
  | 'InvalidResult'
  /** Kubernetes allows no such owner reference, or the owner has no uid. */
  | 'InvalidOwner'
  /** The object has another controller, or none. */
  | 'AlreadyOwned'
  /** A timeout. */
  | 'TimedOut'
  /** A call was aborted. */
  | 'Aborted'
  /** A write was not sent, because the Lease is not certainly held. */
  | 'NotLeading'
  /** The leader lost its Lease: the process has to restart. */
  | 'LeaseLost'
  /** A decision's write was rejected, and its steps have no `refused`. */
  | 'Refused'
  /** A webhook denies an admission request. */
  | 'Denied';

/** The one error class of this package. */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  /** Whether a retry may succeed. */
  readonly retryable: boolean;

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
    this.retryable = code === 'TimedOut' || code === 'Aborted';
  }
}

/**
 * For a reconciler to throw when the object cannot be reconciled as it is: logged and counted, but not retried until the
 * object changes.
 */
export function terminalError(message: string, cause?: unknown): RuntimeError {
  return new RuntimeError('Terminal', message, { cause });
}

export function isTerminal(error: unknown): boolean {
  return error instanceof RuntimeError && error.code === 'Terminal';
}
