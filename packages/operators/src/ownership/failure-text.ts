import { ApiError } from '@kubewright/client';
import { OperatorError } from '../operator-error.ts';
import type { SlicePass } from './reconcile-manifest.ts';

/** What the status says of an error that nobody expected: its text may be of anything. */
const UNEXPECTED = 'an unexpected error, which the log of the manager has';

/**
 * Why an object could not be worked on, for the status. Throws what ends the whole pass: the end of the process, and that
 * the slice has changed. Anything else is of one object, and must not keep the others from being worked on.
 */
export function failureText(error: unknown, { io }: Pick<SlicePass, 'io'>): string {
  if (io.signal.aborted || error instanceof OperatorError) throw error;
  return error instanceof ApiError ? error.message : UNEXPECTED;
}
