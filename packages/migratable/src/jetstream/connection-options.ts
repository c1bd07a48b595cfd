import {
  type Authenticator,
  type ConnectionOptions,
  credsAuthenticator,
  nkeyAuthenticator,
  nkeys,
  type TlsOptions,
} from '@nats-io/transport-node';
import { MigratableError } from '../migratable-error.ts';
import type { JetStreamOptions } from './jetstream-options.ts';

/** Of the client. Throws `Malformed`, without what is malformed: it may be a secret. */
export function connectionOptions(options: JetStreamOptions): ConnectionOptions {
  const parsed = URL.canParse(options.url) ? new URL(options.url) : undefined;
  if (parsed?.protocol !== 'nats:' && parsed?.protocol !== 'tls:')
    throw new MigratableError('Malformed', 'a broker has a URL like nats://HOST:PORT');
  const tls = tlsOf(options);
  if (parsed.protocol === 'nats:' && Object.keys(tls).length > 0)
    throw new MigratableError('Malformed', 'a broker with certificates has a URL like tls://HOST:PORT');
  return {
    servers: parsed.host,
    ...(parsed.protocol === 'tls:' ? { tls } : {}),
    ...loginOf(options, parsed),
    ...(options.name === undefined ? {} : { name: options.name }),
  };
}

type Login = Pick<ConnectionOptions, 'user' | 'pass' | 'token' | 'authenticator'>;

function loginOf({ token, nkey, credentials, ...options }: JetStreamOptions, url: URL): Login {
  if (credentials !== undefined) return { authenticator: byCredentials(credentials) };
  if (nkey !== undefined) return { authenticator: byNkey(nkey.trim()) };
  if (token !== undefined) return { token };
  const user = options.username ?? decodeURIComponent(url.username);
  const pass = options.password ?? decodeURIComponent(url.password);
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}

function byNkey(seed: string): Authenticator {
  const bytes = Buffer.from(seed);
  try {
    nkeys.fromSeed(bytes);
  } catch {
    throw new MigratableError('Malformed', 'the seed of an NKEY begins with SU: nsc and nk make them');
  }
  return nkeyAuthenticator(bytes);
}

/** The client parses it at each connection. Here it is tried before the first one. */
function byCredentials(text: string): Authenticator {
  const authenticator = credsAuthenticator(Buffer.from(text));
  try {
    authenticator('nonce');
  } catch {
    throw new MigratableError(
      'Malformed',
      'a credentials file has a JWT and the seed of an NKEY: nsc makes it',
    );
  }
  return authenticator;
}

function tlsOf({ ca, cert, key }: JetStreamOptions): TlsOptions {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
