import type { ApiRequest } from '@kubewright/kube';
import type { UserInfo } from '../request/user-info.ts';

const EXTRA = 'x-remote-extra-';
const IDENTITY = new Set(['authorization', 'x-remote-user', 'x-remote-uid', 'x-remote-group']);
/** Characters that a header's name may have (RFC 9110, 5.6.2), but for the one that escapes. */
const LEGAL = /[^a-z0-9!#$&'*+.^_`|~-]/g;

/** The headers with the authenticated user in them, and without those of the client that name a user. */
export function withRemoteUser(headers: ApiRequest['headers'], user: UserInfo): ApiRequest['headers'] {
  const kept = Object.entries(headers).filter(
    ([name]) => !IDENTITY.has(name) && !name.startsWith(EXTRA) && !name.startsWith('impersonate-'),
  );
  const extra = Object.entries(user.extra ?? {}).map(([key, values]) => [`${EXTRA}${escaped(key)}`, values]);
  return Object.fromEntries([
    ...kept,
    ['x-remote-user', user.username],
    ...(user.uid === undefined ? [] : [['x-remote-uid', user.uid]]),
    ['x-remote-group', user.groups],
    ...extra,
  ]) as ApiRequest['headers'];
}

function escaped(key: string): string {
  return key
    .toLowerCase()
    .replace(LEGAL, (character) =>
      [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
    );
}
