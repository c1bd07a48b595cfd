import { ApiError } from '@kubewright/client';
import type { ActOutcome } from '@kubewright/runtime';
import { fieldConflicts } from './field-conflicts.ts';

/** A version conflict, or a Deployment that is gone, leads to another reconcile; transient errors are retried. */
export function enforcementOutcome(error: unknown): ActOutcome {
  if (!(error instanceof ApiError) || error.code === 0 || error.retryable) throw error;
  const { code, message } = error;
  if (fieldConflicts(error) !== undefined) {
    const text = 'Field manager ownership conflict applying enforcement.';
    return { reason: 'EnforceConflict', code, message: `${text} ${message}` };
  }
  if (code === 409 || code === 404) return 'conflict';
  if (code === 400 || code === 422)
    return { reason: 'EnforceInvalid', code, message: `Invalid enforcement value ${message}.` };
  return { reason: 'EnforceFailed', code, message };
}
