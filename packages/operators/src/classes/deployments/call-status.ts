import { status } from '@grpc/grpc-js';
import { ApiError } from '@kubewright/client';
import { OperatorError } from '../../operator-error.ts';

/** The gRPC status code and message of what a call has thrown. */
export function callStatus(error: unknown): { readonly code: status; readonly message: string } {
  if (error instanceof OperatorError) return { code: OWN_CODES[error.code], message: error.message };
  if (error instanceof ApiError) return { code: codeOf(error), message: error.message };
  return { code: status.INTERNAL, message: 'internal error' };
}

const OWN_CODES = {
  Usage: status.INVALID_ARGUMENT,
  TimedOut: status.DEADLINE_EXCEEDED,
  NotFound: status.NOT_FOUND,
  AlreadyExists: status.ALREADY_EXISTS,
  Forbidden: status.PERMISSION_DENIED,
  Failed: status.INTERNAL,
  Interrupted: status.CANCELLED,
  Differs: status.FAILED_PRECONDITION,
  Denied: status.FAILED_PRECONDITION,
  Unavailable: status.UNAVAILABLE,
} as const;

const BY_HTTP: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  409: status.ABORTED,
  422: status.INVALID_ARGUMENT,
};

function codeOf({ code, retryable }: ApiError): status {
  return BY_HTTP[code] ?? (retryable ? status.UNAVAILABLE : status.INTERNAL);
}
