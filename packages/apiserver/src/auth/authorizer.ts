import type { RequestInfo } from '../http/request-info.ts';
import type { UserInfo } from './user-info.ts';

/** What someone is about to do. */
export type AuthorizationAttributes = { readonly user: UserInfo; readonly info: RequestInfo };

/** `allowed`, or why not: the end of the sentence `User "x" cannot …`. */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export type Authorizer = (attributes: AuthorizationAttributes) => Decision;

/**
 * Members of `system:masters` may do everything, everybody else nothing. Roles are not evaluated by this server yet,
 * and nobody is to get more than a role would give him.
 */
export const mastersOnly: Authorizer = ({ user }) =>
  user.groups.includes('system:masters') ? { allowed: true } : { allowed: false, reason: '' };

/** The sentence of a 403, as RBAC says it. */
export function forbiddenText({ user, info }: AuthorizationAttributes): string {
  const { resource, verb, path } = info;
  const who = `User "${user.username}" cannot ${verb}`;
  if (resource === undefined) return `${who} path "${path}"`;
  const what =
    resource.subresource === '' ? resource.resource : `${resource.resource}/${resource.subresource}`;
  const where =
    resource.namespace === '' ? 'at the cluster scope' : `in the namespace "${resource.namespace}"`;
  return `${who} resource "${what}" in API group "${resource.group}" ${where}`;
}
