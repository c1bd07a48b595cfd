import { ApiError, type Client } from '@kubewright/client';
import { type Clock, corev1, defined, type Stored } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { BROKER_SECRET, type StatefulMigration } from '../api.ts';
import { isAllowedAddress } from '../is-allowed-address.ts';
import type { BrokerAddress } from './broker.ts';

type Io = { readonly client: Client; readonly clock: Clock };
type Known = { readonly address: BrokerAddress; readonly since: number };

/** A Secret that was changed is seen after this time. */
const KNOWN_MS = 10_000;

/** Without the address, which may be from a Secret. */
const NOT_ALLOWED =
  'the broker is not one of those that an administrator has allowed: MS2M_BROKERS of the manager (kubewright manager --ms2m-brokers HOST:PORT) lists them';

/** Where the brokers of migrations are: in `brokerUrl`, or in a Secret of the same namespace. */
export class BrokerAddresses {
  readonly #allowed: readonly string[];
  readonly #known = new Map<string, Known>();

  /** Patterns of brokers, see {@link isAllowedAddress}. */
  constructor(allowed: readonly string[]) {
    this.#allowed = allowed;
  }

  /**
   * Rejects with `OperatorError`: `NotFound` or `Usage` for a Secret without an address, `Forbidden` for one that may not be
   * read, and for a broker that is not allowed.
   */
  async of(migration: StatefulMigration, io: Io): Promise<BrokerAddress> {
    const { brokerUrl, brokerSecret = '' } = migration.spec.messageQueueConfig;
    const address = brokerSecret === '' ? { url: brokerUrl } : await this.#inSecret(migration, io);
    const { namespace } = migration.metadata;
    if (isAllowedAddress(address.url, this.#allowed, namespace)) return address;
    throw new OperatorError('Forbidden', NOT_ALLOWED);
  }

  async #inSecret({ metadata, spec }: StatefulMigration, { client, clock }: Io): Promise<BrokerAddress> {
    const { brokerSecret: name = '' } = spec.messageQueueConfig;
    const { namespace } = metadata;
    const key = `${namespace}/${name}`;
    const known = this.#known.get(key);
    const now = clock.monotonic();
    if (known !== undefined && now - known.since < KNOWN_MS) return known.address;
    const address = addressIn(await secretNamed(client, { namespace, name }));
    // No password is kept for longer than it is used.
    for (const [other, { since }] of this.#known) if (now - since >= KNOWN_MS) this.#known.delete(other);
    this.#known.set(key, { address, since: now });
    return address;
  }
}

async function secretNamed(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
): Promise<Stored<corev1.Secret>> {
  try {
    return await client.get(corev1.secrets, key);
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 403 && error.code !== 404)) throw error;
    const [code, message] =
      error.code === 404
        ? (['NotFound', `there is no Secret ${key.name}`] as const)
        : ([
            'Forbidden',
            `the operator may not get Secret ${key.name}: it may get those named ${BROKER_SECRET}`,
          ] as const);
    throw new OperatorError(code, message, { cause: error });
  }
}

/** The URL is in the Secret too: whoever may only name the Secret cannot have its password sent elsewhere. */
function addressIn({ metadata, data = {} }: Stored<corev1.Secret>): BrokerAddress {
  const at = (key: string): string | undefined => {
    const text = Buffer.from(data[key] ?? '', 'base64')
      .toString()
      .trim();
    return text === '' ? undefined : text;
  };
  const url = at('url');
  if (url === undefined) throw new OperatorError('Usage', `Secret ${metadata.name} has no key url`);
  const [username, password] = [at('username'), at('password')];
  const login = defined({ token: at('token'), nkey: at('nkey'), credentials: at('credentials') });
  const tls = defined({ ca: at('ca.crt'), cert: at('tls.crt'), key: at('tls.key') });
  return {
    url,
    ...(username !== undefined && password !== undefined && { credentials: { username, password } }),
    ...(Object.keys(login).length > 0 && { login }),
    ...(Object.keys(tls).length > 0 && { tls }),
  };
}
