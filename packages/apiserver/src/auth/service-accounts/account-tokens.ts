import type { JsonObject, Stored } from '@kubewright/kube';
import { itemsAt, maybeNumber, objectAt, stringAt, stringsAt } from '../../objects/read.ts';
import { uuid } from '../../objects/uuid.ts';
import type { TokenAuthenticator } from '../tokens/bearer-token.ts';
import type { UserInfo } from '../../request/user-info.ts';
import type { AccountLookup } from './account-lookup.ts';
import { accountUser, KUBERNETES } from './account-user.ts';
import { boundObjectError } from './bound-object-error.ts';
import { readToken, signatureError, signToken } from './json-web-token.ts';
import type { SigningKey } from './signing-key.ts';
import { namespaceOf } from '../../objects/name-of.ts';

/** An object that a token is bound to, as its claims name it. A node that is not there has no uid. */
export type BoundReference = { readonly name: string; readonly uid?: string };

/** The claims of a token. Times in seconds. */
export type TokenOrder = {
  readonly account: Stored;
  readonly bound: Readonly<Partial<Record<'pod' | 'secret' | 'node', BoundReference>>>;
  readonly audiences: readonly string[];
  readonly lifetime: number;
  /** Seconds after which a use of the token is worth a note; absent for most tokens. */
  readonly warnAfter?: number;
};

/** Issues and authenticates the tokens of service accounts. */
export type AccountTokens = {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly key: () => SigningKey;
  issue(order: TokenOrder): string;
  readonly authenticate: TokenAuthenticator;
};

export type AccountTokenOptions = {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly key: () => SigningKey;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  readonly lookup: AccountLookup;
};

/** Clocks may differ by this many seconds. */
const LEEWAY = 60;
/** Tokens whose signature has been found good; each is dear to check. */
const REMEMBERED = 1000;

/** Bound tokens: https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/ */
export function accountTokens(options: AccountTokenOptions): AccountTokens {
  const { issuer, audiences, key } = options;
  return {
    issuer,
    audiences,
    key,
    issue: (order) => signToken(key(), claimsOf(options, order)),
    authenticate: accountAuthenticator(options),
  };
}

function claimsOf({ issuer, now, random }: AccountTokenOptions, order: TokenOrder): JsonObject {
  const { account, bound, audiences, lifetime, warnAfter } = order;
  const { name, uid } = account.metadata;
  const namespace = namespaceOf(account);
  const seconds = Math.floor(now().getTime() / 1000);
  const identity = { namespace, ...bound, serviceaccount: { name, uid } };
  return {
    aud: audiences,
    exp: seconds + lifetime,
    iat: seconds,
    iss: issuer,
    jti: uuid(random),
    [KUBERNETES]: warnAfter === undefined ? identity : { ...identity, warnafter: seconds + warnAfter },
    nbf: seconds,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

type Known = { readonly claims: JsonObject; readonly user: UserInfo };

function accountAuthenticator(options: AccountTokenOptions): TokenAuthenticator {
  const { issuer, key, now, lookup } = options;
  const known = new Map<string, Known>();
  return (token, wanted) => {
    const found = known.get(token) ?? verified(token, issuer, key);
    if (found === undefined || 'errors' in found) return found;
    if (known.size >= REMEMBERED) known.clear();
    known.set(token, found);
    const { claims, user } = found;
    const own = audiencesOf(claims);
    const audiences = own.filter((audience) => wanted.includes(audience));
    const error =
      audiences.length === 0
        ? `token audiences ${quoted(own)} is invalid for the target audiences ${quoted(wanted)}`
        : (timeError(claims, now()) ?? boundObjectError(objectAt(claims, KUBERNETES), lookup, now()));
    return error === undefined ? { user, audiences } : { errors: [error] };
  };
}

function verified(
  token: string,
  issuer: string,
  key: () => SigningKey,
): Known | { readonly errors: readonly string[] } | undefined {
  const read = readToken(token);
  if (read === undefined || stringAt(read.claims, 'iss') !== issuer) return undefined;
  const error = signatureError(key(), read);
  return error === undefined ? { claims: read.claims, user: accountUser(read.claims) } : { errors: [error] };
}

function audiencesOf(claims: JsonObject): readonly string[] {
  return itemsAt(claims, 'aud').length > 0 ? stringsAt(claims, 'aud') : [stringAt(claims, 'aud')];
}

function timeError(claims: JsonObject, now: Date): string | undefined {
  const seconds = now.getTime() / 1000;
  const [from, until, issued] = ['nbf', 'exp', 'iat'].map((key) => maybeNumber(claims, key));
  if (from !== undefined && seconds + LEEWAY < from) return 'service account token is not valid yet';
  if (until !== undefined && seconds - LEEWAY > until) return 'service account token has expired';
  if (issued !== undefined && seconds + LEEWAY < issued)
    return 'service account token is issued in the future';
  return undefined;
}

function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
