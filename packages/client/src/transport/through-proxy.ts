import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import type * as tls from 'node:tls';
import { defined, onAbort, systemClock } from '@kubewright/kube';
import { localError, transportClosed } from '../errors/api-error.ts';
import { DEFAULT_CONNECT_TIMEOUT_MS, type TransportOptions } from './transport-options.ts';

export type Address = { readonly host: string; readonly port: number };

type Tunnel = {
  readonly proxy: URL;
  readonly target: Address;
  readonly options: TransportOptions;
  /** What the certificate of a proxy is verified with, as that of the server. */
  readonly secure: tls.ConnectionOptions;
  readonly signal: AbortSignal | undefined;
};

const PROXY_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };
const OK = 200;

/**
 * A URL of a proxy; throws `InvalidConfig`, which does not show its credentials.
 *
 * @param from where it was read
 */
export function parseProxyUrl(text: string, from = 'proxy-url'): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.protocol in PROXY_PORTS && url.hostname !== '') return url;
  const shown = text.replace(/^.*@/s, '…@');
  throw localError('InvalidConfig', `${from} "${shown}": expected http://, https:// or socks5://host:port`);
}

/**
 * A connection to an address through a proxy: with CONNECT (`http:`, and `https:` to the proxy itself) or with SOCKS5, where the
 * proxy resolves the name. Rejects on a timeout, and when `signal` is aborted.
 */
export function throughProxy(tunnel: Tunnel): Promise<net.Socket> {
  const { options, signal, proxy } = tunnel;
  const limit = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
  return new Promise((resolve, reject) => {
    const abandon = new AbortController();
    const giveUp = (error: Error): void => {
      settle();
      abandon.abort();
      reject(error);
    };
    const cancelTimer = (options.clock ?? systemClock).after(limit, () =>
      giveUp(
        localError('ConnectionFailed', `no connection through the proxy ${proxy.host} within ${limit} ms`),
      ),
    );
    const forget = onAbort(signal, () => giveUp(transportClosed()));
    const settle = (): void => {
      cancelTimer();
      forget();
    };
    const connect = proxy.protocol === 'socks5:' ? socks5 : httpConnect;
    connect(tunnel, abandon.signal).then(
      (socket) => {
        settle();
        resolve(socket);
      },
      (error: unknown) => {
        settle();
        reject(error instanceof Error ? error : new TypeError('the proxy failed'));
      },
    );
  });
}

/** Node's own client of HTTP asks for the tunnel. */
function httpConnect({ proxy, target, secure }: Tunnel, signal: AbortSignal): Promise<net.Socket> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const request = {
    ...addressOf(proxy),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...defined({ 'proxy-authorization': basicAuth(proxy) }) },
    agent: false as const,
    signal,
  };
  return new Promise((resolve, reject) => {
    const sent =
      proxy.protocol === 'https:'
        ? https.request({ ...proxyTls(proxy, secure), ...request })
        : http.request(request);
    sent.once('error', (error) =>
      reject(localError('ConnectionFailed', `the proxy ${proxy.host}: ${error.message}`)),
    );
    sent.once('connect', (response, socket, head) => {
      if (response.statusCode === OK) {
        socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      const status = `${response.statusCode ?? 0} ${response.statusMessage ?? ''}`.trim();
      reject(
        localError('ConnectionFailed', `the proxy ${proxy.host} rejects a tunnel to ${authority}: ${status}`),
      );
    });
    sent.end();
  });
}

/** The credentials of the user are the server's affair. */
function proxyTls(proxy: URL, { ca, rejectUnauthorized }: tls.ConnectionOptions): https.RequestOptions {
  const host = unbracketed(proxy.hostname);
  return {
    ...defined({ ca, rejectUnauthorized }),
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
  };
}

async function socks5({ proxy, target }: Tunnel, signal: AbortSignal): Promise<net.Socket> {
  const connection = net.connect({ ...addressOf(proxy), noDelay: true });
  onAbort(signal, () => connection.destroy());
  try {
    await connected(connection);
    // Few have such a proxy, and all wait for what is loaded at the start.
    const { SocksClient } = await import('socks');
    const { socket } = await SocksClient.createConnection({
      proxy: {
        ...addressOf(proxy),
        type: 5,
        ...(proxy.username === ''
          ? {}
          : { userId: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) }),
      },
      command: 'connect',
      destination: { host: target.host, port: target.port },
      existing_socket: connection,
    });
    return socket;
  } catch (error) {
    connection.destroy();
    const what = error instanceof Error ? error.message : 'it failed';
    throw localError('ConnectionFailed', `the proxy ${proxy.host}: ${what}`);
  }
}

function connected(socket: net.Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new TypeError('closed by the proxy')));
    socket.once('connect', () => resolve());
  });
}

function addressOf(proxy: URL): Address {
  const port = proxy.port === '' ? (PROXY_PORTS[proxy.protocol] ?? 0) : Number(proxy.port);
  return { host: unbracketed(proxy.hostname), port };
}

function basicAuth({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function unbracketed(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}
