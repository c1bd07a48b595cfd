import { createHash, timingSafeEqual } from 'node:crypto';
import { authenticatedUser, type UserInfo } from '../../request/user-info.ts';
import type { TokenAuthenticator } from './bearer-token.ts';

/** A user with a bearer token. */
export type TokenUser = { readonly token: string; readonly user: UserInfo };

/** Knows users by tokens that were agreed on. Those are for this API only. */
export function staticTokens(
  users: readonly TokenUser[],
  ownAudiences: readonly string[],
): TokenAuthenticator {
  const known = users.map(({ token, user }) => ({ digest: digest(token), user: authenticatedUser(user) }));
  // Clients keep their tokens: the last few that were found good are not hashed again.
  const seen = new Map<string, UserInfo>();
  return (token, wanted) => {
    const audiences = ownAudiences.filter((audience) => wanted.includes(audience));
    if (audiences.length === 0) return undefined;
    const before = seen.get(token);
    if (before !== undefined) return { user: before, audiences };
    const sent = digest(token);
    const user = known.find((candidate) => timingSafeEqual(candidate.digest, sent))?.user;
    if (user === undefined) return undefined;
    if (seen.size < 1000) seen.set(token, user);
    return { user, audiences };
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
