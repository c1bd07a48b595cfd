import type { Authenticated, Authenticator, InvalidCredentials } from '../authenticator.ts';

/** Whose a token is, if it is for one of `audiences`. Undefined: it is none of this kind. */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[],
) => Authenticated | InvalidCredentials | undefined;

const INVALID = 'invalid bearer token';

/** Reads `Authorization: Bearer …`; other schemes are no credentials. */
export function bearerToken(
  authenticators: readonly TokenAuthenticator[],
  ownAudiences: readonly string[],
): Authenticator {
  return ({ headers: { authorization }, audiences = ownAudiences }) => {
    const token = typeof authorization === 'string' ? tokenOf(authorization) : '';
    if (token === '') return undefined;
    const errors: string[] = [INVALID];
    for (const authenticate of authenticators) {
      const found = authenticate(token, audiences);
      if (found === undefined) continue;
      if ('user' in found) return found;
      errors.push(...found.errors);
    }
    return { errors };
  };
}

function tokenOf(header: string): string {
  const [scheme = '', token = ''] = header.trim().split(' ', 2);
  return scheme.toLowerCase() === 'bearer' ? token : '';
}
