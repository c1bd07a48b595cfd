/** What a command or a demo of an operator can fail with. Each message is one line that says what to do. */
export type OperatorErrorCode = 'Usage' | 'NotFound' | 'Failed' | 'TimedOut';

/** The one error class of this package. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode;
  readonly retryable: boolean;

  constructor(code: OperatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
    this.code = code;
    this.retryable = code === 'TimedOut';
  }
}
