import type { Status } from '@kubewright/kube';
import { messageWithoutValues } from './without-values.ts';

/** Reasons of the client's own errors, whose `code` is 0. All other reasons are the server's. */
export type LocalReason =
  | 'ConnectionFailed'
  /** The request was not sent: this process has closed the transport. */
  | 'TransportClosed'
  | 'Aborted'
  | 'InvalidResponse'
  | 'InvalidRequest'
  | 'InvalidConfig'
  | 'NoMatch'
  | 'TooLarge';

export type ApiErrorOptions = {
  readonly cause?: unknown;
  /** From the `Retry-After` header, else from the Status' `retryAfterSeconds`. */
  readonly retryAfterSeconds?: number;
};

const RETRYABLE_CODES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/**
 * The one error class of this package: a request that the server rejected, or that got no response.
 *
 * `code` is the HTTP status, 0 when there was no response. `retryable`: the same request may succeed later, unchanged. A
 * conflict is not retryable in this sense, because the object has to be read again.
 *
 * `message` may be printed anywhere: it has no values of Secrets, environment variables and credentials, and no whole objects.
 * `status` is what the server sent, with all values (`statusWithoutValues` leaves them out).
 */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly status: Status;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: Status, options: ApiErrorOptions = {}) {
    const message = status.message ?? `the server answered ${status.code}`;
    super(messageWithoutValues(message, status.details?.kind), { cause: options.cause });
    this.name = 'ApiError';
    this.code = status.code;
    this.reason = status.reason ?? '';
    this.status = status;
    this.retryable = RETRYABLE_CODES.has(status.code) || this.reason === 'ConnectionFailed';
    this.retryAfterSeconds = options.retryAfterSeconds ?? status.details?.retryAfterSeconds;
  }
}

/** An error of the client, not of the server. */
export function localError(reason: LocalReason, message: string, cause?: unknown): ApiError {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code: 0,
  };
  return new ApiError(status, { cause });
}

/** The call's signal was aborted. */
export function abortedError(signal: AbortSignal | undefined): ApiError {
  return localError('Aborted', 'the call was aborted', signal?.reason);
}

/** The call came after `close()`, or still waited for a connection then. It was not sent; no later one will be. */
export function transportClosed(): ApiError {
  return localError('TransportClosed', 'the transport is closed');
}
