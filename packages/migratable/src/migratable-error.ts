export type MigratableErrorCode =
  /** The broker is not there, or did not answer in time. The same may succeed later. */
  | 'Unavailable'
  | 'NotFound'
  /** The broker does not permit it. It may in a moment: rights are given back, or the service that knows them is. */
  | 'Forbidden'
  /** The broker rejects it: other arguments, somebody else has it. */
  | 'Rejected'
  /** What arrived is not what was sent: a part is missing, or it is no command, report or snapshot. */
  | 'Malformed'
  /** It cannot be done now, or not again. */
  | 'InvalidState';

/** The one error class of this package. */
export class MigratableError extends Error {
  readonly code: MigratableErrorCode;
  readonly retryable: boolean;

  constructor(code: MigratableErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigratableError';
    this.code = code;
    this.retryable = code === 'Unavailable' || code === 'Forbidden';
  }
}
