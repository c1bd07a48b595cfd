import type { RequestInfo, ResourceInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';

/** What is to be done: a verb on a resource (`resource` is set) or on a path. A {@link RequestInfo} is one. */
export type Access = Pick<RequestInfo, 'verb' | 'path'> & {
  readonly resource?: Pick<ResourceInfo, 'group' | 'namespace' | 'resource' | 'subresource' | 'name'>;
};

/** A user and what they request. */
export type AuthorizationAttributes = { readonly user: UserInfo; readonly info: Access };

/**
 * Whether it is allowed. `reason` says by what, or what went wrong on the way to a no; empty where there is nothing to
 * say. That the user lacks the right is no reason: {@link forbiddenText} says it.
 */
export type Decision = { readonly allowed: boolean; readonly reason: string };

export type Authorizer = (attributes: AuthorizationAttributes) => Decision;

/** The group whose members may do everything, whatever roles say. */
export const MASTERS = 'system:masters';

/** The sentence of a 403, as RBAC says it. */
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
