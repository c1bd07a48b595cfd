import { ApiError } from '@kubewright/client';
import { defined } from '@kubewright/kube';
import { RuntimeError } from '../runtime-error.ts';
import { type AdmissionResponse, denied } from './admission-response.ts';

/** For a validator or a defaulter to throw: denies the request with 403 and this message. */
export function denial(message: string): RuntimeError {
  return new RuntimeError('Denied', message);
}

/** The response for a handler that threw a denial or an `ApiError`; undefined for any other error. */
export function denialOf(error: unknown): AdmissionResponse | undefined {
  if (error instanceof RuntimeError && error.code === 'Denied') return denied(error.message);
  if (!(error instanceof ApiError) || error.code === 0) return undefined;
  const { status, message, reason, details, code } = error.status;
  return {
    allowed: false,
    result: { status, code, ...defined({ message, reason, details }) },
  };
}
