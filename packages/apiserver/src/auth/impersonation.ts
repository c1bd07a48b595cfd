import type { ApiRequest } from '@kubewright/kube';
import { failure, forbidden } from '../rest/api-server-error.ts';
import type { UserInfo } from './user-info.ts';

const EXTRA = 'impersonate-extra-';

/**
 * The user as whom a request is to be answered. Only members of `system:masters` may take another's place; then they
 * have that user's rights and no longer their own.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonated(headers: ApiRequest['headers'], user: UserInfo): UserInfo {
  const names = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return user;
  const [username = ''] = valuesOf(headers, 'impersonate-user');
  if (username === '') {
    const message = 'requested impersonation of groups, uid or extra without impersonating a user';
    throw failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  if (!user.groups.includes('system:masters')) {
    const why = `User "${user.username}" cannot impersonate resource "users" in API group "" at the cluster scope`;
    throw forbidden({ group: '', resource: 'users' }, username, why);
  }
  const [uid] = valuesOf(headers, 'impersonate-uid');
  const extra = names
    .filter((name) => name.startsWith(EXTRA))
    .map((name) => [decodeURIComponent(name.slice(EXTRA.length)), valuesOf(headers, name)]);
  return {
    username,
    groups: groupsOf(username, valuesOf(headers, 'impersonate-group')),
    ...(uid === undefined ? {} : { uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function groupsOf(username: string, groups: readonly string[]): readonly string[] {
  if (username === 'system:anonymous') return [...new Set([...groups, 'system:unauthenticated'])];
  return [...new Set([...groups, 'system:authenticated'])];
}

function valuesOf(headers: ApiRequest['headers'], name: string): readonly string[] {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) return [];
  // HTTP libraries join repeated headers with commas, which no user or group name has.
  const values = typeof value === 'string' ? [value] : value;
  return name === 'impersonate-user' ? values : values.flatMap((text) => text.split(/, */));
}
