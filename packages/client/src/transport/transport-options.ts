import type { Clock } from '@kubewright/kube';

/** What a TLS connection is made with. PEM texts. */
export type TlsMaterial = {
  readonly ca?: string | Uint8Array | undefined;
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
};

/** Provides the credentials of each call: from memory where it can, because it runs before every call. */
export type Authorizer = {
  /** The value of the `authorization` header; `undefined` for none. */
  header(): string | undefined | Promise<string | undefined>;
  /** The server responded 401: drop cached credentials. */
  reset(): void;
};

/** How to reach an API server over the network. */
export type TransportOptions = {
  /** `https://host:port`, with a path if the API is not at the root. `http:` is for local proxies. */
  readonly url: string;
  readonly ca?: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** Called before each new connection, so that rotated files are used; adds to `ca`, `cert`, `key`. */
  readonly tls?: () => TlsMaterial | Promise<TlsMaterial>;
  /** The name that the server's certificate is verified against, if not the host of `url`. */
  readonly serverName?: string;
  /** Where connections go through: `http://`, `https://` (both with CONNECT) or `socks5://`, with credentials if it wants any. */
  readonly proxyUrl?: string;
  /** Accept any certificate. */
  readonly insecureSkipTlsVerify?: boolean;
  readonly token?: string;
  readonly authorizer?: Authorizer;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly userAgent?: string;
  readonly clock?: Clock;
  /** Timeout of a connection attempt. Default 30 s. */
  readonly connectTimeoutMs?: number;
  /** A connection idle for this long is sent an HTTP/2 PING. Default 30 s. */
  readonly pingAfterMs?: number;
  /** Timeout of the PING, after which the connection is closed. Default 15 s. */
  readonly pingTimeoutMs?: number;
  /** Maximum number of connections; another is opened only when all streams of the others are taken. Default 4. */
  readonly maxConnections?: number;
};

export const DEFAULT_CONNECT_TIMEOUT_MS = 30_000;
export const DEFAULT_PING_AFTER_MS = 30_000;
export const DEFAULT_PING_TIMEOUT_MS = 15_000;
export const DEFAULT_MAX_CONNECTIONS = 4;
export const DEFAULT_USER_AGENT = 'kubewright/0.1.0';

/** Fixed credentials. */
export function staticToken(token: string): Authorizer {
  const value = `Bearer ${token}`;
  return { header: () => value, reset: () => undefined };
}
