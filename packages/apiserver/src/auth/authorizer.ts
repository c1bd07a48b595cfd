import type { RequestInfo } from '../http/request-info.ts';
import type { UserInfo } from './user-info.ts';

/** What someone is about to do. */
export type AuthorizationAttributes = { readonly user: UserInfo; readonly info: RequestInfo };

/** `allowed`, or why not: the end of the sentence `User "x" cannot …`. */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export type Authorizer = (attributes: AuthorizationAttributes) => Decision;

/** What every cluster tells whoever is known to it (`system:discovery`): what is served, and that it is well. */
const PUBLIC = /^\/(?:$|(?:api|apis|openapi|healthz|livez|readyz|version)(?:\/|$))/;

/**
 * Members of `system:masters` may do everything, everybody else may see what is served. Roles are not evaluated by
 * this server yet, and nobody is to get more than a role would give him.
 */
export const mastersOnly: Authorizer = ({ user, info }) => {
  if (user.groups.includes('system:masters')) return { allowed: true };
  const reads = info.resource === undefined && (info.verb === 'get' || info.verb === 'head');
  if (reads && user.groups.includes('system:authenticated') && PUBLIC.test(info.path))
    return { allowed: true };
  return { allowed: false, reason: '' };
};

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
