import { X509Certificate } from 'node:crypto';
import { type Client, ignoreNotFound } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import type { AdmissionUser, ExtensionCall } from '@kubewright/runtime';

/** Whom to believe who a caller is: the API server, when it passes a request on to an APIService. */
export type FrontProxy = {
  readonly authorities: readonly X509Certificate[];
  /** Common names of its certificate; none: all that the authorities signed. */
  readonly allowedNames: readonly string[];
  /** Names of headers, in lower case. The first one that a request has counts. */
  readonly headers: Readonly<Record<'username' | 'uid' | 'groups' | 'extraPrefixes', readonly string[]>>;
};

const CONFIG = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** Extended key usage of clients. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** As the API server publishes it. Read for each request: certificates are rotated. Undefined: it passes nothing on. */
export async function readFrontProxy(client: Client, signal: AbortSignal): Promise<FrontProxy | undefined> {
  const config = await ignoreNotFound(client.get(corev1.configmaps, CONFIG, { signal }));
  if (config === undefined) return undefined;
  const { data = {} } = config;
  const list = (key: string): readonly string[] => listIn(data[`requestheader-${key}`]);
  const lower = (key: string): readonly string[] => list(key).map((name) => name.toLowerCase());
  const pem = data['requestheader-client-ca-file'] ?? '';
  return {
    authorities: (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text)),
    allowedNames: list('allowed-names'),
    headers: {
      username: lower('username-headers'),
      uid: lower('uid-headers'),
      groups: lower('group-headers'),
      extraPrefixes: lower('extra-headers-prefix'),
    },
  };
}

function listIn(json = '[]'): readonly string[] {
  const value = JSON.parse(json) as unknown;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Whether a certificate is the API server's: signed by an authority itself, valid now, for clients, of a known name. */
export function isFrontProxy(
  { authorities, allowedNames }: FrontProxy,
  certificate: ExtensionCall['certificate'],
  now: number,
): boolean {
  if (certificate === undefined) return false;
  const proxy = new X509Certificate(certificate);
  const { CN: name } = proxy.toLegacyObject().subject as { readonly CN?: string };
  // Undefined where the certificate does not restrict its use.
  const usages = proxy.keyUsage as readonly string[] | undefined;
  return (
    isValid(proxy, now) &&
    (usages === undefined || usages.includes(CLIENT_AUTH)) &&
    (allowedNames.length === 0 || (name !== undefined && allowedNames.includes(name))) &&
    authorities.some((authority) => isSignedBy(proxy, authority, now))
  );
}

function isSignedBy(proxy: X509Certificate, authority: X509Certificate, now: number): boolean {
  const isIssuer = authority.ca && isValid(authority, now) && proxy.checkIssued(authority);
  return isIssuer && proxy.verify(authority.publicKey);
}

function isValid({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}

/** The user whom the API server names in the headers of a request. */
export function userInHeaders(
  { headers: names }: FrontProxy,
  headers: ExtensionCall['headers'],
): AdmissionUser | undefined {
  const valuesOf = (name: string): readonly string[] => [headers[name] ?? []].flat();
  const firstOf = (of: readonly string[]): readonly string[] =>
    of.map(valuesOf).find((values) => values.length > 0) ?? [];
  const [username] = firstOf(names.username);
  if (username === undefined || username === '') return undefined;
  const extra = names.extraPrefixes.flatMap((prefix) =>
    Object.keys(headers)
      .filter((name) => name.startsWith(prefix))
      .map((name) => [unescaped(name.slice(prefix.length)), valuesOf(name)] as const),
  );
  return {
    username,
    uid: firstOf(names.uid)[0] ?? '',
    groups: firstOf(names.groups),
    extra: Object.fromEntries(extra),
  };
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
