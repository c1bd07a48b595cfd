/** What went wrong in a cluster of this package. Failures of API calls stay `ApiError`s, those of storage `CsiError`s. */
export type ClusterErrorCode =
  /** A reconcile did not do all that it had to; what is left is tried again. */
  | 'Incomplete'
  /** A request got no response. */
  | 'ConnectionFailed'
  | 'TimedOut'
  /** Metrics cannot be had now. */
  | 'MetricsUnavailable'
  | 'TooLarge'
  | 'NotFound'
  | 'NotSupported'
  /** A query that is no PromQL, or more than is understood. */
  | 'BadQuery'
  /** What was asked for cannot be done now: a container does not run. */
  | 'InvalidState'
  /** An archive that no container can be restored from. */
  | 'InvalidCheckpoint';

const RETRYABLE: ReadonlySet<ClusterErrorCode> = new Set([
  'Incomplete',
  'ConnectionFailed',
  'TimedOut',
  'MetricsUnavailable',
]);

/** The one error class of this package. */
export class ClusterError extends Error {
  readonly code: ClusterErrorCode;
  readonly retryable: boolean;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ClusterError';
    this.code = code;
    this.retryable = RETRYABLE.has(code);
  }
}

/** Several failures as one, with the text of Kubernetes' `errors.NewAggregate`: `[first, second]`. */
export function incomplete(messages: readonly string[], cause?: unknown): ClusterError {
  const [first = ''] = messages;
  const text = messages.length === 1 ? first : `[${messages.join(', ')}]`;
  return new ClusterError('Incomplete', text, { cause });
}
