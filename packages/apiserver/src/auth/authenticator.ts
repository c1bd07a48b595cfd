import type { ApiRequest } from '@kubewright/kube';
import type { PeerCertificate } from '../certificates/peer-certificate.ts';
import { ANONYMOUS, type UserInfo } from '../request/user-info.ts';

/** What a request shows of its sender. */
export type Credentials = Pick<ApiRequest, 'headers'> & {
  /** Of the connection that it came over; absent where the client showed no certificate. */
  readonly certificate?: PeerCertificate | undefined;
  /** For whom a token must be; default this API. */
  readonly audiences?: readonly string[];
};

/** Someone who is known. `audiences`: for whom his credentials are, of those who were asked for. */
export type Authenticated = { readonly user: UserInfo; readonly audiences: readonly string[] };

/** Credentials that are no good, in the words of those who looked at them. */
export type Refusal = { readonly errors: readonly string[] };

/** Who sends a request. Undefined: there are no credentials of this kind. */
export type Authenticator = (credentials: Credentials) => Authenticated | Refusal | undefined;

/** The audience, and the issuer, of a cluster's own tokens unless it is told another. */
export const DEFAULT_ISSUER = 'https://kubernetes.default.svc';

/** The first that knows the user; bad credentials of one kind do no harm beside good ones of another. */
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

/** Who shows nothing is `system:anonymous`. Who shows something bad is not. */
export function orAnonymous(authenticate: Authenticator): Authenticator {
  return (credentials) => authenticate(credentials) ?? { user: ANONYMOUS, audiences: [] };
}
