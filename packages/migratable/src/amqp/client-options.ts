import type { ConnectionOptions } from 'rabbitmq-client';
import { MigratableError } from '../migratable-error.ts';

export type AmqpOptions = {
  /** `amqp://` or `amqps://`, with host, port and virtual host. */
  readonly url: string;
  /** In place of those in the URL. */
  readonly username?: string;
  readonly password?: string;
  /** Shown among the broker's connections. */
  readonly name?: string;
  /** The most that messages may have while they come in. Default: 128 MiB, what RabbitMQ 3 takes. */
  readonly mostBytes?: number;
  /** How long a request waits for the broker's response, until the connection is made again. Default: 30 seconds. */
  readonly responseMs?: number;
};

/** How long an operation waits for a connection that is lost. */
const WAIT_MS = 10_000;
/** How long a broker may take until the connection is open: less, so that the operation's error says why it is not. */
const OPEN_MS = 9000;
const HEARTBEAT_S = 10;
const MOST_HEARTBEAT_S = 60;
const MOST_RETRY_MS = 5000;
const FRAME_MAX = 8192;
const PORTS: Readonly<Record<string, string>> = { 'amqp:': '5672', 'amqps:': '5671' };

/** The options of the client, and `HOST:PORT`. Throws `Malformed`. */
export function clientOptions({ url, username, password, name }: AmqpOptions): {
  readonly client: ConnectionOptions & { readonly frameMax: number };
  readonly address: string;
} {
  const parsed = brokerUrl(url);
  const { hostname, protocol, port } = parsed;
  // The client reads credentials from the URL alone. `guest` is what AMQP URLs without any mean.
  if (username !== undefined) parsed.username = encodeURIComponent(username);
  if (password !== undefined) parsed.password = encodeURIComponent(password);
  if (parsed.username === '') [parsed.username, parsed.password] = ['guest', 'guest'];
  boundTimes(parsed.searchParams);
  return {
    client: {
      url: parsed.href,
      ...(name === undefined ? {} : { connectionName: name }),
      acquireTimeout: WAIT_MS,
      connectionTimeout: OPEN_MS,
      frameMax: FRAME_MAX,
      heartbeat: HEARTBEAT_S,
      retryLow: 100,
      retryHigh: MOST_RETRY_MS,
    },
    address: `${hostname}:${port === '' ? PORTS[protocol] : port}`,
  };
}

function brokerUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isBroker = parsed !== undefined && Object.hasOwn(PORTS, parsed.protocol) && parsed.hostname !== '';
  if (!isBroker || !isDecodable(parsed))
    throw new MigratableError('Malformed', 'a broker has a URL like amqp://HOST:PORT/VHOST');
  return parsed;
}

/** The client decodes the parts of the URL. */
function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    return [username, password, pathname].every((part) => decodeURIComponent(part) !== undefined);
  } catch {
    return false;
  }
}

/** What a URL may say, but for times without an end: a broker that is silent would be waited for for ever. */
function boundTimes(parameters: URLSearchParams): void {
  parameters.delete('connection_timeout');
  const heartbeat = Number(parameters.get('heartbeat') ?? HEARTBEAT_S);
  if (!(heartbeat >= 1 && heartbeat <= MOST_HEARTBEAT_S)) parameters.delete('heartbeat');
}
