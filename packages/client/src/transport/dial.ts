import * as net from 'node:net';
import * as tls from 'node:tls';
import { defined, onAbort, systemClock } from '@kubewright/kube';
import { localError, transportClosed } from '../errors/api-error.ts';
import { connectionFailed } from './response-body.ts';
import { type Address, parseProxyUrl, throughProxy } from './through-proxy.ts';
import { DEFAULT_CONNECT_TIMEOUT_MS, type TlsMaterial, type TransportOptions } from './transport-options.ts';

/** A connected socket and the protocol that ALPN chose. */
export type Dialed = { readonly socket: net.Socket; readonly protocol: 'h2' | 'http/1.1' };

/** Options of `tls.connect` without the address: shared with the HTTP/1.1 agent. */
export async function tlsOptions(options: TransportOptions): Promise<tls.ConnectionOptions> {
  const { serverName } = options;
  const name = serverName ?? unbracketed(new URL(options.url).hostname);
  return {
    ...pemOptions({ ...definedOf(await options.tls?.()), ...definedOf(options) }),
    // An IP address may not be sent as SNI, but is still what the certificate is checked against.
    ...(net.isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(name, certificate),
    rejectUnauthorized: options.insecureSkipTlsVerify !== true,
    minVersion: 'TLSv1.2',
  };
}

/** The TLS material without absent fields, so that these do not override another source's. */
function definedOf(material: TlsMaterial = {}): TlsMaterial {
  const { ca, cert, key } = material;
  return defined({ ca, cert, key });
}

function pemOptions({ ca, cert, key }: TlsMaterial): tls.ConnectionOptions {
  return { ca: bytes(ca), cert: bytes(cert), key: bytes(key) };
}

/** Connects, TLS handshake included. Rejects with `ConnectionFailed`, also on a timeout, and when `signal` is aborted. */
export async function dial(
  options: TransportOptions,
  protocols: readonly string[],
  signal?: AbortSignal,
): Promise<Dialed> {
  const url = new URL(options.url);
  const address = { host: unbracketed(url.hostname), port: portOf(url) };
  if (url.protocol === 'http:')
    return { socket: await plain(address, options, signal), protocol: 'http/1.1' };
  const secure = await materialOrFailure(options);
  if (signal?.aborted === true) throw transportClosed();
  const way = options.proxyUrl === undefined ? address : { socket: await tunnel(address, options, signal) };
  const socket = tls.connect({ ...secure, ...way, ALPNProtocols: [...protocols] });
  socket.setNoDelay(true);
  await ready(socket, 'secureConnect', { options, signal });
  return { socket, protocol: socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1' };
}

async function plain(
  address: Address,
  options: TransportOptions,
  signal: AbortSignal | undefined,
): Promise<net.Socket> {
  if (options.proxyUrl !== undefined) return tunnel(address, options, signal);
  const socket = net.connect({ ...address, noDelay: true });
  await ready(socket, 'connect', { options, signal });
  return socket;
}

async function tunnel(
  target: Address,
  options: TransportOptions,
  signal: AbortSignal | undefined,
): Promise<net.Socket> {
  const proxy = parseProxyUrl(options.proxyUrl ?? '');
  const secure = proxy.protocol === 'https:' ? await materialOrFailure(options) : {};
  try {
    return await throughProxy({ proxy, target, options, secure, signal });
  } catch (error) {
    throw connectionFailed(error, options.url);
  }
}

async function materialOrFailure(options: TransportOptions): Promise<tls.ConnectionOptions> {
  try {
    return await tlsOptions(options);
  } catch (error) {
    throw connectionFailed(error, options.url);
  }
}

function ready(
  socket: net.Socket,
  event: 'connect' | 'secureConnect',
  { options, signal }: { readonly options: TransportOptions; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const limit = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
  return new Promise((resolve, reject) => {
    const cancelTimer = (options.clock ?? systemClock).after(limit, () =>
      socket.destroy(localError('ConnectionFailed', `no connection to ${options.url} within ${limit} ms`)),
    );
    const forget = onAbort(signal, () => socket.destroy(transportClosed()));
    const settle = (): void => {
      cancelTimer();
      forget();
    };
    const fail = (error?: unknown): void => {
      settle();
      reject(connectionFailed(error instanceof Error ? error : 'closed by the server', options.url));
    };
    socket.on('error', fail);
    socket.once('close', fail);
    socket.once(event, () => {
      settle();
      socket.removeListener('close', fail);
      // The error listener stays: the caller adds its own a little later, and a loss in between would crash the
      // process. The promise has settled, so it does nothing else.
      resolve();
    });
  });
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? 80 : 443;
}

function unbracketed(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

function bytes(pem: string | Uint8Array | undefined): string | Buffer | undefined {
  return pem === undefined || typeof pem === 'string' ? pem : Buffer.from(pem);
}
