import { type ApiServerError, failure, forbidden } from '../api-server-error.ts';
import { type Access, forbiddenText } from './authorizer.ts';
import type { UserInfo } from '../request/user-info.ts';

/** The 403 that names what the user may not do, and the authorizer's reason. */
export function accessForbidden(user: UserInfo, info: Access, reason: string): ApiServerError {
  const why = forbiddenText({ user, info }, reason);
  if (info.resource === undefined) return failure(403, 'Forbidden', `forbidden: ${why}`, {});
  return forbidden(info.resource, info.resource.name, why);
}
