import { ApiError } from '@kubewright/client';
import type { Finding } from './report-findings.ts';

/** What was read, or why it could not be. */
export type Read<T> = { readonly value: T } | { readonly error: string };

/** A read that may be rejected, as for lack of rights. Aborts and bugs are not results. */
export async function readOr<T>(promise: Promise<T>): Promise<Read<T>> {
  try {
    return { value: await promise };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { error: error.message };
  }
}

/** Findings from what was read; a finding `unknown` where it was not. */
export function findingsFrom<T>(
  check: string,
  read: Read<T>,
  judge: (value: T) => readonly Omit<Finding, 'check'>[],
): readonly Finding[] {
  const found = 'error' in read ? [{ status: 'unknown' as const, what: read.error }] : judge(read.value);
  return found.map((one) => ({ check, ...one }));
}
