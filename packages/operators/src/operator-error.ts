/** Why a command, a demo or an adapter of an operator failed. Each message is one line that says what to do. */
export type OperatorErrorCode =
  | 'Usage'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Forbidden'
  | 'Failed'
  /** A command, by a signal. The message says what is left to do. */
  | 'Interrupted'
  /** What a command compares is not equal. */
  | 'Differs'
  /** What a command checks may not be done. */
  | 'Denied'
  | 'TimedOut'
  | 'Unavailable';

/** The one error class of this package. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode;
  readonly retryable: boolean;
  /** In CamelCase, where a status or an Event has a reason. */
  readonly reason: string | undefined;

  constructor(code: OperatorErrorCode, message: string, options: ErrorOptions & { reason?: string } = {}) {
    super(message, options);
    this.name = 'OperatorError';
    this.code = code;
    this.reason = options.reason;
    this.retryable = code === 'TimedOut' || code === 'Unavailable';
  }
}
