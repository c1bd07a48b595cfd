import { ApiError } from './api-error.ts';

const hasReason = (error: unknown, reason: string): boolean =>
  error instanceof ApiError && error.reason === reason;
const hasCode = (error: unknown, code: number): boolean => error instanceof ApiError && error.code === code;

/** 404: the object or the resource does not exist. */
export function isNotFound(error: unknown): boolean {
  return hasCode(error, 404);
}

/** 409 on create: the name is taken. */
export function isAlreadyExists(error: unknown): boolean {
  return hasReason(error, 'AlreadyExists');
}

/** 409 on a write: the object has changed since it was read, or an apply meets another manager's field. */
export function isConflict(error: unknown): boolean {
  return hasReason(error, 'Conflict');
}

/** 409 on an apply without force: another manager owns a field; `status.details.causes` names them. */
export function isFieldConflict(error: unknown): boolean {
  const causes = hasCode(error, 409) ? ((error as ApiError).status.details?.causes ?? []) : [];
  return causes.some(({ reason }) => reason === 'FieldManagerConflict');
}

/** 422: the object does not validate; `status.details.causes` names the fields. */
export function isInvalid(error: unknown): boolean {
  return hasCode(error, 422);
}

/** 403: authenticated, but not allowed. */
export function isForbidden(error: unknown): boolean {
  return hasCode(error, 403);
}

/** 401: the credentials are missing, wrong or out of date. */
export function isUnauthorized(error: unknown): boolean {
  return hasCode(error, 401);
}

/** 410: the resourceVersion or continue token is too old; list again. */
export function isGone(error: unknown): boolean {
  return hasCode(error, 410);
}

/** 429: rate limited. */
export function isTooManyRequests(error: unknown): boolean {
  return hasCode(error, 429);
}

/** There was no response: whether the request took effect is unknown. */
export function isConnectionFailed(error: unknown): boolean {
  return hasReason(error, 'ConnectionFailed');
}

/** The caller aborted the call. */
export function isAborted(error: unknown): boolean {
  return hasReason(error, 'Aborted');
}

/** The value, or `undefined` when the object does not exist. Rethrows every other error. */
export async function ignoreNotFound<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
