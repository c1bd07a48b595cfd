import type { JsonObject } from '@kubewright/kube';
import { maybeObject, objectAt, stringAt } from '../../objects/read.ts';
import { authenticatedUser, type UserInfo } from '../../request/user-info.ts';

/** The claim that holds what is Kubernetes' own. */
export const KUBERNETES = 'kubernetes.io';

const EXTRA = 'authentication.kubernetes.io/';

/** The user that the claims of a token name. */
export function accountUser(claims: JsonObject): UserInfo {
  const own = objectAt(claims, KUBERNETES);
  const [namespace, account] = [stringAt(own, 'namespace'), objectAt(own, 'serviceaccount')];
  return authenticatedUser({
    username: `system:serviceaccount:${namespace}:${stringAt(account, 'name')}`,
    uid: stringAt(account, 'uid'),
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    extra: Object.fromEntries(extraOf(claims, own).map(([key, value]) => [`${EXTRA}${key}`, [value]])),
  });
}

function extraOf(claims: JsonObject, own: JsonObject): readonly (readonly [string, string])[] {
  const entries: (readonly [string, string])[] = [];
  const id = stringAt(claims, 'jti');
  if (id !== '') entries.push(['credential-id', `JTI=${id}`]);
  for (const key of ['node', 'pod']) {
    const bound = maybeObject(own, key);
    if (bound === undefined) continue;
    for (const part of ['name', 'uid']) {
      const value = stringAt(bound, part);
      if (value !== '') entries.push([`${key}-${part}`, value]);
    }
  }
  return entries;
}
