import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { type ApiServerError, localError } from '../../api-server-error.ts';
import { trusting } from '../../upstream/trusting.ts';
import type { WebhookCall } from './webhook-transport.ts';

/** Where a call goes, and the server name that its certificate must have. */
export type WebhookTarget = {
  readonly host: string;
  readonly port: number;
  /** The name in the certificate; empty for an address, which is checked without one. */
  readonly servername: string;
  /** Host and port as the URL has them. */
  readonly authority: string;
  /** Path and query. */
  readonly path: string;
  /** PEM; empty: the system's roots. */
  readonly caBundle: string;
};

export function webhookTarget({ url, address, caBundle }: WebhookCall): WebhookTarget {
  const target = new URL(url);
  const hostname = target.hostname.replace(/^\[|\]$/g, '');
  return {
    host: address?.host ?? hostname,
    port: address?.port ?? (target.port === '' ? 443 : Number(target.port)),
    servername: isIP(hostname) === 0 ? hostname : '',
    authority: target.host,
    path: target.pathname + target.search,
    caBundle,
  };
}

/** The options of a TLS connection to it. */
export function tlsOptionsOf({ host, port, servername, caBundle }: WebhookTarget): ConnectionOptions {
  return { host, port, servername, ...trusting(caBundle) };
}

/** A kept connection ended before any response on it: another attempt may be made. */
export function connectionLost(): ApiServerError {
  return localError('ConnectionLost', 'the connection ended');
}
