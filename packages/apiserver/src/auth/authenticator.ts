import type { ApiRequest } from '@kubewright/kube';
import type { PeerCertificate } from '../certificates/peer-certificate.ts';
import { ANONYMOUS, type UserInfo } from '../request/user-info.ts';

/** The credentials of a request. */
type Credentials = Pick<ApiRequest, 'headers'> & {
  /** Of the connection that it came over; absent where the client showed no certificate. */
  readonly certificate?: PeerCertificate | undefined;
  /** The audiences that a token must have; default this API's. */
  readonly audiences?: readonly string[];
};

/** An authenticated user. `audiences`: those of the credentials, of the requested ones. */
export type Authenticated = { readonly user: UserInfo; readonly audiences: readonly string[] };

/** Invalid credentials, with the errors of the authenticators. */
export type InvalidCredentials = { readonly errors: readonly string[] };

/** Authenticates a request. Undefined: it has no credentials of this kind. */
export type Authenticator = (credentials: Credentials) => Authenticated | InvalidCredentials | undefined;

/** The default audience and issuer of a cluster's own tokens. */
export const DEFAULT_ISSUER = 'https://kubernetes.default.svc';

/** The first that authenticates the request; invalid credentials of one kind do no harm beside valid ones of another. */
export function anyOf(authenticators: readonly Authenticator[]): Authenticator {
  return (credentials) => {
    const errors: string[] = [];
    for (const authenticate of authenticators) {
      const found = authenticate(credentials);
      if (found === undefined) continue;
      if ('user' in found) return found;
      errors.push(...found.errors);
    }
    return errors.length === 0 ? undefined : { errors };
  };
}

/** A request without credentials is of `system:anonymous`. One with invalid credentials is not. */
export function orAnonymous(authenticate: Authenticator): Authenticator {
  return (credentials) => authenticate(credentials) ?? { user: ANONYMOUS, audiences: [] };
}
