/** Codes of gRPC that a CSI driver returns. */
export type CsiCode =
  | 'AlreadyExists'
  | 'DeadlineExceeded'
  | 'FailedPrecondition'
  | 'Internal'
  | 'InvalidArgument'
  | 'NotFound'
  | 'OutOfRange'
  | 'ResourceExhausted'
  | 'Unavailable';

/** What was asked may still come about: the same is asked again. */
const UNFINISHED: readonly CsiCode[] = ['DeadlineExceeded', 'Unavailable'];

/** An error of a storage system. Every call is retried later; `retryable` is false where that cannot help. */
export class CsiError extends Error {
  readonly code: CsiCode;
  readonly retryable: boolean;

  constructor(code: CsiCode, description: string, options?: ErrorOptions) {
    super(`rpc error: code = ${code} desc = ${description}`, options);
    this.name = 'CsiError';
    this.code = code;
    this.retryable = code !== 'InvalidArgument' && code !== 'OutOfRange';
  }
}

/** Whether the storage system has said its last word about a request: nothing of it goes on in the background. */
export function isFinal(error: unknown): boolean {
  return error instanceof CsiError && !UNFINISHED.includes(error.code);
}
