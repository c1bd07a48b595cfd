import { defined, type KubeObject, type Stored, formatTime } from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { numberAt, specOf, stringsAt } from '../../objects/read.ts';
import { orDefaultPointer, withField } from '../../objects/change-object.ts';
import { conflict, invalid, notFound } from '../../api-server-error.ts';
import type { AccountLookup } from './account-lookup.ts';
import type { AccountTokens, TokenOrder } from './account-tokens.ts';
import { boundTo } from './bound-to.ts';
import { nameOf, namespaceOf } from '../../objects/name-of.ts';

export type TokenRequestSources = {
  readonly tokens: AccountTokens;
  readonly lookup: AccountLookup;
  readonly now: () => Date;
};

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' } as const;
const GROUP_RESOURCE = { group: KIND.group, resource: KIND.kind } as const;
const LEAST = 600;
const MOST = 2 ** 32;
/** A pod's token of exactly this lifetime is valid for a year, for clients that do not renew it. */
const PROJECTED = 3607;
const YEAR = 365 * 24 * 60 * 60;

/** Issues a token for a ServiceAccount, as a TokenRequest wants it. */
export function requestToken(
  sources: TokenRequestSources,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  sent: KubeObject,
): KubeObject {
  const { tokens, lookup, now } = sources;
  checkName(name, sent);
  const account = lookup('serviceaccounts', namespace, name);
  if (account === undefined) throw notFound({ group: '', resource: 'serviceaccounts' }, name);
  checkUid(name, sent, account);
  const object = completed(sent, account, tokens, now());
  const spec = specOf(object);
  const lifetime = numberAt(spec, 'expirationSeconds');
  checkLifetime(lifetime);
  const bound = boundTo(spec, { name, namespace }, lookup);
  const token = tokens.issue(orderOf(tokens, account, bound, stringsAt(spec, 'audiences'), lifetime));
  const expirationTimestamp = formatTime(new Date(now().getTime() + lifetime * 1000));
  return { ...object, status: { token, expirationTimestamp } };
}

function orderOf(
  tokens: AccountTokens,
  account: Stored,
  bound: TokenOrder['bound'],
  audiences: readonly string[],
  lifetime: number,
): TokenOrder {
  const order = { account, bound, audiences, lifetime };
  const own = audiences.every((audience) => tokens.audiences.includes(audience));
  const projected = bound.pod !== undefined && lifetime === PROJECTED && own;
  return projected ? { ...order, lifetime: YEAR, warnAfter: PROJECTED } : order;
}

function checkName(name: string, sent: KubeObject): void {
  const own = nameOf(sent);
  if (own === '' || own === name) return;
  const detail = 'must match the service account name if specified';
  throw invalid(KIND, name, [{ type: 'Invalid', field: 'metadata.name', value: own, detail }]);
}

function checkUid(name: string, { metadata: { uid } }: KubeObject, account: Stored): void {
  const live = account.metadata.uid;
  if (uid === undefined || uid === '' || uid === live) return;
  const why = `the UID in the token request (${uid}) does not match the UID of the service account (${live})`;
  throw conflict(GROUP_RESOURCE, name, why);
}

function completed(sent: KubeObject, account: Stored, tokens: AccountTokens, now: Date): KubeObject {
  const { name, uid } = account.metadata;
  const { managedFields, ...metadata } = sent.metadata;
  const spec = specOf(sent);
  const audiences =
    stringsAt(spec, 'audiences').length === 0 ? tokens.audiences : stringsAt(spec, 'audiences');
  return {
    ...sent,
    metadata: {
      ...metadata,
      name,
      namespace: namespaceOf(account),
      uid,
      creationTimestamp: formatTime(now),
      ...defined({ managedFields }),
    },
    spec: orDefaultPointer(withField(spec, 'audiences', [...audiences]), 'boundObjectRef', null),
  };
}

function checkLifetime(value: number): void {
  const errors: FieldError[] = [];
  const reject = (detail: string): void => {
    errors.push({ type: 'Invalid', field: 'spec.expirationSeconds', value, detail });
  };
  if (value < LEAST) reject('may not specify a duration less than 10 minutes');
  if (value > MOST) reject('may not specify a duration larger than 2^32 seconds');
  if (errors.length > 0) throw invalid(KIND, '', errors);
}
