import type { RequestInfo, ResourceInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';

/** What is to be done: a verb on a resource (`resource` is set) or on a path. A {@link RequestInfo} is one. */
export type Access = Pick<RequestInfo, 'verb' | 'path'> & {
  readonly resource?: Pick<ResourceInfo, 'group' | 'namespace' | 'resource' | 'subresource' | 'name'>;
};

/** A user and what they request. */
export type AuthorizationAttributes = { readonly user: UserInfo; readonly info: Access };

/**
 * Whether it is allowed. `reason` is the rule that allows it, or an error of the authorizer; empty where there is
 * neither. That no rule allows it is no reason: {@link forbiddenText} says so.
 */
export type Decision = { readonly allowed: boolean; readonly reason: string };

export type Authorizer = (attributes: AuthorizationAttributes) => Decision;

/** The group whose members are allowed everything, whatever their roles. */
export const MASTERS = 'system:masters';

/** The message of a 403, as in RBAC. */
export function forbiddenText({ user, info }: AuthorizationAttributes, reason = ''): string {
  const { resource, verb, path } = info;
  const who = `User "${user.username}" cannot ${verb}`;
  const why = reason === '' ? '' : `: ${reason}`;
  if (resource === undefined) return `${who} path "${path}"${why}`;
  const what =
    resource.subresource === '' ? resource.resource : `${resource.resource}/${resource.subresource}`;
  const where =
    resource.namespace === '' ? 'at the cluster scope' : `in the namespace "${resource.namespace}"`;
  return `${who} resource "${what}" in API group "${resource.group}" ${where}${why}`;
}
