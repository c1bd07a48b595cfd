import type { Store } from '../storage/store.ts';
import { anyOf, type Authenticator, DEFAULT_ISSUER, orAnonymous } from './authenticator.ts';
import { type ClientAuthority, clientAuthority } from '../certificates/client-authority.ts';
import { clientCertificates } from './client-certificates.ts';
import { coreObjects } from './service-accounts/account-lookup.ts';
import { type AccountTokens, accountTokens } from './service-accounts/account-tokens.ts';
import { signingKey } from './service-accounts/signing-key.ts';
import { bearerToken } from './tokens/bearer-token.ts';
import { staticTokens, type TokenUser } from './tokens/static-tokens.ts';

/** How users are authenticated. All have defaults. */
export type IdentityOptions = {
  /** Users beside the admin, whose token is made at random at start. */
  readonly users?: readonly TokenUser[];
  /** PEM of the client CA; with its key if this server is to issue certificates. Default: a CA of its own. */
  readonly clientCa?: { readonly cert: string; readonly key?: string };
  readonly serviceAccounts?: {
    /** Default `https://kubernetes.default.svc`. */
    readonly issuer?: string;
    /** The default audiences of tokens; default the issuer. */
    readonly audiences?: readonly string[];
    /**
     * PEM of the private key that signs tokens, RSA or elliptic. Default: one that is made at first use. With an RSA
     * key the same requests at the same time give the same tokens.
     */
    readonly key?: string;
    /**
     * Pods run as accounts, which must exist: the admission plugin `ServiceAccount`. Default false: nothing creates
     * accounts in an API server alone.
     */
    readonly admission?: boolean;
  };
};

/** The authenticators of the server, and what issues credentials. */
export type Identity = {
  /** The sender of a request; anonymous without credentials. */
  readonly authenticate: Authenticator;
  /** Authenticates a bearer token, for TokenReviews. */
  readonly reviewToken: Authenticator;
  readonly tokens: AccountTokens;
  readonly authority: ClientAuthority;
};

type Sources = {
  readonly store: Store;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
};

export function createIdentity(options: IdentityOptions, { store, now, random }: Sources): Identity {
  const { issuer = DEFAULT_ISSUER, audiences = [issuer], key } = options.serviceAccounts ?? {};
  const sources = { now, random };
  const lookup = coreObjects(store);
  const tokens = accountTokens({ issuer, audiences, key: signingKey(key), lookup, ...sources });
  const reviewToken = bearerToken(
    [staticTokens(options.users ?? [], audiences), tokens.authenticate],
    audiences,
  );
  return {
    authenticate: orAnonymous(anyOf([clientCertificates(now, audiences), reviewToken])),
    reviewToken,
    tokens,
    authority: clientAuthority(options.clientCa, sources),
  };
}
