import type { Impersonation } from './kubeconfig.ts';

/** The `Impersonate-*` headers; lists stay lists, because a group may contain a comma. */
export function impersonationHeaders(
  who: Impersonation,
): Readonly<Record<string, string | readonly string[]>> {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': who.user };
  if (who.uid !== undefined) headers['impersonate-uid'] = who.uid;
  if (who.groups !== undefined && who.groups.length > 0) headers['impersonate-group'] = [...who.groups];
  for (const [key, values] of Object.entries(who.extra ?? {})) {
    // Header names allow few characters: the server percent-decodes the key.
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = [...values];
  }
  return headers;
}
