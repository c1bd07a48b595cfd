import type { ApiRequest } from '@kubewright/kube';
import { badRequest } from '../api-server-error.ts';
import type { Access, Authorizer } from './authorizer.ts';
import { type ImpersonationMode, MODES } from './impersonation-mode.ts';
import type { UserInfo } from '../request/user-info.ts';

/** The impersonated user of a request, or its sender; throws 403 where the sender may not impersonate that user. */
export type Impersonation = (headers: ApiRequest['headers'], user: UserInfo, info: Access) => UserInfo;

const EXTRA = 'impersonate-extra-';

/**
 * Lets users take others' places by the verbs `impersonate` and, for some requests only, `impersonate-on:…`. They
 * have that user's rights then and no longer their own.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonation(authorize: Authorizer): Impersonation {
  // The way that was open last is tried first: most users have one.
  const last = new WeakMap<UserInfo, ImpersonationMode>();
  return (headers, user, info) => {
    const wanted = wantedUser(headers);
    if (wanted === undefined) return user;
    const first = last.get(user);
    let firstError: unknown;
    for (const mode of first === undefined ? MODES : [first, ...MODES.filter((one) => one !== first)]) {
      if (!mode.fits(wanted)) continue;
      try {
        const taken = mode.check({ authorize, user, wanted, info });
        last.set(user, mode);
        return taken;
      } catch (error) {
        firstError ??= error;
      }
    }
    throw firstError;
  };
}

function wantedUser(headers: ApiRequest['headers']): UserInfo | undefined {
  const names = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return undefined;
  const [username = ''] = valuesOf(headers, 'impersonate-user');
  const [uid = ''] = valuesOf(headers, 'impersonate-uid');
  const groups = valuesOf(headers, 'impersonate-group');
  const extra = extraOf(headers, names);
  if (username === '') return noUser(uid, groups, extra);
  return {
    username,
    groups,
    ...(uid === '' ? {} : { uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

type Extra = readonly (readonly [string, readonly string[]])[];

function extraOf(headers: ApiRequest['headers'], names: readonly string[]): Extra {
  return names
    .filter((name) => name.startsWith(EXTRA))
    .map((name) => [unescaped(name.slice(EXTRA.length)), valuesOf(headers, name)] as const);
}

/** A user without a name cannot be impersonated. */
function noUser(uid: string, groups: readonly string[], extra: Extra): undefined {
  const others = uid !== '' || groups.length > 0 || extra.length > 0;
  if (others) throw badRequest(nobody(uid, groups, extra));
  return undefined;
}

/** As the server shows it: a Go struct. */
function nobody(uid: string, groups: readonly string[], extra: Extra): string {
  const list = (values: readonly string[]): string =>
    `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const entries = extra.map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const fields = [
    'Name:""',
    `UID:${JSON.stringify(uid)}`,
    `Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}`,
    `Extra:map[string][]string${extra.length === 0 ? '(nil)' : `{${entries.join(', ')}}`}`,
  ];
  return `requested &user.DefaultInfo{${fields.join(', ')}} without impersonating a user name`;
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function valuesOf(headers: ApiRequest['headers'], name: string): readonly string[] {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) return [];
  // HTTP libraries join repeated headers with commas, which no user or group name has.
  const values = typeof value === 'string' ? [value] : value;
  return name === 'impersonate-user' ? values : values.flatMap((text) => text.split(/, */));
}
