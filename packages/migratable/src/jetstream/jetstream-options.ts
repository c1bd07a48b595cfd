import type { Clock } from '../clock.ts';

// Applications compile this module: the types of the client of NATS, which do not compile under strict settings, stay out of it.
export type JetStreamOptions = {
  /** `nats://` or `tls://`, with host and port (default 4222). */
  readonly url: string;
  /** In place of those in the URL. A URL with a user and no password has a token there. */
  readonly username?: string;
  readonly password?: string;
  /** In place of a user. */
  readonly token?: string;
  /** In place of a user: the seed of an NKEY (`SU…`). */
  readonly nkey?: string;
  /** In place of a user: the content of a credentials file, with a JWT and a seed. */
  readonly credentials?: string;
  /** PEM: who has signed the server's certificate (default: what Node.js trusts), and the client's own one. With `tls://`. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Shown among the server's connections. */
  readonly name?: string;
  /** Default: the system's. */
  readonly clock?: Clock;
};
