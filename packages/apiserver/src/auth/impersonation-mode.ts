import { isDns1123Label, isDns1123Subdomain } from '@kubewright/kube/validation';
import { type Access, type Authorizer, MASTERS } from './authorizer.ts';
import { accessForbidden } from './access-forbidden.ts';
import type { UserInfo } from '../request/user-info.ts';

/** `user` impersonates `wanted` for one request. */
type Attempt = {
  readonly authorize: Authorizer;
  readonly user: UserInfo;
  readonly wanted: UserInfo;
  readonly info: Access;
};

/** A mode of impersonation; each is authorized by verbs of its own. */
export type ImpersonationMode = {
  readonly fits: (wanted: UserInfo) => boolean;
  /** The user that it makes; throws 403. */
  readonly check: (attempt: Attempt) => UserInfo;
};

type Place = NonNullable<Access['resource']>;

const AUTHENTICATION = 'authentication.k8s.io';
const NODE = 'system:node:';
const ACCOUNT = 'system:serviceaccount:';

/**
 * In the order in which they are tried: three that are for certain requests only, and the one that is for all.
 * https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export const MODES: readonly ImpersonationMode[] = [
  constrained('arbitrary-node', (wanted) => nameOnly(wanted) && nodeOf(wanted) !== undefined),
  constrained('serviceaccount', (wanted) => nameOnly(wanted) && accountOf(wanted) !== undefined),
  constrained('user-info', (wanted) => nodeOf(wanted) === undefined && accountOf(wanted) === undefined),
  { fits: () => true, check: (attempt) => become(attempt, 'impersonate', false) },
];

function constrained(mode: string, fits: ImpersonationMode['fits']): ImpersonationMode {
  return {
    fits,
    check(attempt) {
      const { info } = attempt;
      demand(attempt, { ...info, verb: `impersonate-on:${mode}:${info.verb}` });
      return become(attempt, `impersonate:${mode}`, true);
    },
  };
}

function nameOnly({ uid, groups, extra }: UserInfo): boolean {
  return uid === undefined && groups.length === 0 && extra === undefined;
}

function nodeOf({ username }: UserInfo): string | undefined {
  if (!username.startsWith(NODE)) return undefined;
  const name = username.slice(NODE.length);
  return isDns1123Subdomain(name).length === 0 ? name : undefined;
}

function accountOf({ username }: UserInfo): { namespace: string; name: string } | undefined {
  if (!username.startsWith(ACCOUNT)) return undefined;
  const [namespace = '', name = '', ...rest] = username.slice(ACCOUNT.length).split(':');
  if (rest.length > 0 || isDns1123Label(namespace).length > 0) return undefined;
  return isDns1123Subdomain(name).length > 0 ? undefined : { namespace, name };
}

/** Throws 403 unless the user has the right himself. */
function demand({ authorize, user }: Attempt, info: Access): void {
  const decision = authorize({ user, info });
  if (!decision.allowed) throw accessForbidden(user, info, decision.reason);
}

/** Asks for the right to each part of the wanted user. */
function become(attempt: Attempt, verb: string, strict: boolean): UserInfo {
  const { wanted } = attempt;
  const group = strict ? AUTHENTICATION : '';
  const demandPlace = (place: Partial<Place>): void => demand(attempt, access(verb, place));
  const reject = (place: Partial<Place>, why: string): never => {
    throw accessForbidden(attempt.user, access(verb, place), why);
  };
  demandPlace({ group, ...userPlace(wanted, strict) });
  if (wanted.uid !== undefined) demandPlace({ group: AUTHENTICATION, resource: 'uids', name: wanted.uid });
  if (strict) checkGroups(wanted, (name, why) => reject({ group, resource: 'groups', name }, why));
  for (const name of wanted.groups) demandPlace({ group, resource: 'groups', name });
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    const place = { group: AUTHENTICATION, resource: 'userextras' };
    const why = strict ? extraError(key, values) : undefined;
    if (why !== undefined) reject(place, why);
    for (const name of values) demandPlace({ ...place, subresource: key, name });
  }
  return withGroups(wanted, strict);
}

function access(verb: string, place: Partial<Place>): Access {
  const resource = { group: '', namespace: '', resource: '', subresource: '', name: '', ...place };
  return { verb, path: '', resource };
}

function userPlace(wanted: UserInfo, strict: boolean): Partial<Place> {
  const account = accountOf(wanted);
  if (account !== undefined) return { resource: 'serviceaccounts', ...account };
  const node = strict ? nodeOf(wanted) : undefined;
  if (node !== undefined) return { resource: 'nodes', name: node };
  return { resource: 'users', name: wanted.username };
}

function checkGroups({ groups }: UserInfo, reject: (name: string, why: string) => never): void {
  if (groups.includes('')) reject('', 'impersonating the empty string group is not allowed');
  if (groups.includes(MASTERS)) reject(MASTERS, `impersonating the ${MASTERS} group is not allowed`);
}

function extraError(key: string, values: readonly string[]): string | undefined {
  const [domain = '', ...path] = key.split('/');
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  if (path.join('/') === '' || isDns1123Subdomain(domain).length > 0) {
    const why = 'must be a domain-prefixed path (such as "acme.io/foo")';
    return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${JSON.stringify(key)}: ${why}`;
  }
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined;
}

/** The groups of a service account where the request has none, and `system:authenticated`. */
function withGroups(wanted: UserInfo, strict: boolean): UserInfo {
  const groups = wanted.groups.length > 0 ? wanted.groups : ownGroups(wanted, strict);
  if (wanted.username === 'system:anonymous')
    return { ...wanted, groups: [...new Set([...groups, 'system:unauthenticated'])] };
  if (groups.includes('system:unauthenticated')) return { ...wanted, groups };
  return { ...wanted, groups: [...new Set([...groups, 'system:authenticated'])] };
}

function ownGroups(wanted: UserInfo, strict: boolean): readonly string[] {
  const account = accountOf(wanted);
  if (account !== undefined) return ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  return strict && nodeOf(wanted) !== undefined ? ['system:nodes'] : [];
}
