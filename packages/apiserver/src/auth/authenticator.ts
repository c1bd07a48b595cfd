import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiRequest } from '@kubewright/kube';
import type { UserInfo } from './user-info.ts';

/** A user who is known by a bearer token. */
export type TokenUser = { readonly token: string; readonly user: UserInfo };

/** Who sends a request; undefined when that cannot be told, which is answered 401. */
export type Authenticator = (request: Pick<ApiRequest, 'headers'>) => UserInfo | undefined;

const SCHEME = /^bearer +(\S+) *$/i;

/** Knows users by their tokens. Requests without a token are refused too: there is no anonymous user. */
export function tokenAuthenticator(users: readonly TokenUser[]): Authenticator {
  const known = users.map(({ token, user }) => ({ digest: digest(token), user: authenticated(user) }));
  // Clients keep their tokens: the last few headers that were found good are not hashed again.
  const seen = new Map<string, UserInfo>();
  return ({ headers }) => {
    const { authorization } = headers;
    if (typeof authorization !== 'string') return undefined;
    const before = seen.get(authorization);
    if (before !== undefined) return before;
    const [, token] = SCHEME.exec(authorization) ?? [];
    if (token === undefined) return undefined;
    const sent = digest(token);
    const user = known.find((candidate) => timingSafeEqual(candidate.digest, sent))?.user;
    if (user !== undefined && seen.size < 1000) seen.set(authorization, user);
    return user;
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function authenticated(user: UserInfo): UserInfo {
  const groups = user.groups.includes('system:authenticated')
    ? user.groups
    : [...user.groups, 'system:authenticated'];
  return { ...user, groups };
}
