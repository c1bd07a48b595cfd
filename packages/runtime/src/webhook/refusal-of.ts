import { ApiError } from '@kubewright/client';
import { RuntimeError } from '../runtime-error.ts';
import { type AdmissionResponse, denied } from './admission-response.ts';

/** Thrown by a validator or a defaulter to refuse a request: 403 with this message. */
export function denial(message: string): RuntimeError {
  return new RuntimeError('Denied', message);
}

/** The answer to a request whose handler threw on purpose; undefined when it failed. */
export function refusalOf(error: unknown): AdmissionResponse | undefined {
  if (error instanceof RuntimeError && error.code === 'Denied') return denied(error.message);
  if (!(error instanceof ApiError) || error.code === 0) return undefined;
  const { status, message, reason, details, code } = error.status;
  return {
    allowed: false,
    result: {
      status,
      code,
      ...(message === undefined ? {} : { message }),
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
    },
  };
}
