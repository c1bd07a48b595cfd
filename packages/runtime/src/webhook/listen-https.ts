import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@kubewright/client';
import { listen, PeerShares, requestListener } from '@kubewright/kube/serving';
import type { ServingCertificate } from './serving-certificate.ts';
import type { WebhookListener } from './webhook-listener.ts';

/** A request of either protocol: node's compatibility layer makes them alike. */
export type HttpsRequest = IncomingMessage | Http2ServerRequest;
export type HttpsResponse = ServerResponse | Http2ServerResponse;
/** Who sends a request. */
export type RequestPeer = {
  readonly address: string;
  /** What the client showed when it connected, DER. */
  readonly certificate: Uint8Array | undefined;
};
/** Handles a request; one that it rejects is broken off. */
export type OnRequest = (request: HttpsRequest, response: HttpsResponse, peer: RequestPeer) => Promise<void>;

/** How long a peer may take to agree on TLS, and for the headers of a request over HTTP/1.1. */
const GREETING_MS = 10_000;
/** For all of such a request, if nobody reads its body. */
const REQUEST_MS = 60_000;
/** Connections of all peers. An API server calls a webhook over HTTP/1.1, on one for each request that is under way. */
const MOST_CONNECTIONS = 1000;

/** Longer than an API server keeps an idle connection (90 s), so that the server's side closes it. */
const IDLE_MS = 120_000;

/** Listens for HTTPS, with HTTP/2 and, for clients without it, HTTP/1.1. */
export async function listenHttps(
  { cert, key }: ServingCertificate,
  { host, port }: { readonly host?: string | undefined; readonly port: number },
  onRequest: OnRequest,
): Promise<WebhookListener> {
  // What is not read yet is kept by node: a window for each request.
  const settings = { maxConcurrentStreams: 100, initialWindowSize: 1 << 16 };
  // Of clients that have a certificate, the API behind a path may want to know it.
  const peers = { requestCert: true, rejectUnauthorized: false };
  const server = createSecureServer({
    cert,
    key,
    allowHTTP1: true,
    minVersion: 'TLSv1.2',
    settings,
    handshakeTimeout: GREETING_MS,
    ...peers,
  });
  server.setTimeout(IDLE_MS);
  // Of HTTP/1.1, which node's types do not name here.
  Object.assign(server, { headersTimeout: GREETING_MS, requestTimeout: REQUEST_MS });
  const connections = new Connections(server);
  const handle = (request: HttpsRequest, response: HttpsResponse): unknown => {
    const socket = socketOf(request);
    // Nobody is there to respond to.
    if (socket === undefined) return undefined;
    connections.began(request, response, socket);
    const { remoteAddress: address = '' } = socket;
    return onRequest(request, response, { address, certificate: certificateOf(socket) });
  };
  server.on(
    'request',
    requestListener(handle, () => undefined),
  );
  return {
    port: await listen(server, { host, port }),
    use: (certificate) =>
      server.setSecureContext({ cert: certificate.cert, key: certificate.key, minVersion: 'TLSv1.2' }),
    retire: () => connections.retire(),
    stop: (clock, ms) => connections.stop(clock, ms),
  };
}

/** Undefined: the connection is closed. Node announces requests of HTTP/2 later than it reads them, and their end may come first. */
function socketOf(request: HttpsRequest): TLSSocket | undefined {
  if (!('stream' in request)) return request.socket as TLSSocket;
  const { session } = request.stream;
  return session === undefined || session.destroyed ? undefined : (session.socket as TLSSocket);
}

/** Null where the socket is destroyed, which the types do not say. */
function certificateOf(socket: TLSSocket): Uint8Array | undefined {
  const shown = socket.getPeerCertificate() as { readonly raw?: Uint8Array } | null;
  return shown?.raw;
}

/** The open connections and their pending requests. */
class Connections {
  readonly #server: Http2SecureServer;
  readonly #sessions = new Set<ServerHttp2Session>();
  /** HTTP/1.1 sockets and how many requests each has under way. */
  readonly #sockets = new Map<Socket, number>();
  /** Connections without TLS yet, by their peer. */
  readonly #greeting = new Map<string, Socket>();
  /** All of them, by their peer: those that are least in use go when there are too many. */
  readonly #open = new Map<string, Socket>();
  readonly #shares = new PeerShares<Socket>(MOST_CONNECTIONS);
  #retiring = false;
  #stopping = false;

  constructor(server: Http2SecureServer) {
    this.#server = server;
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      // A protocol error of the peer closes its connection, and must not crash the process.
      session.on('error', () => session.destroy());
      if (this.#stopping) session.close();
    });
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      const address = addressOf(socket);
      this.#greeting.set(peer, socket);
      this.#open.set(peer, socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#greeting.delete(peer);
        this.#open.delete(peer);
        this.#shares.delete(address, socket);
      });
      this.#shares.add(address, socket)?.destroy();
    });
    server.on('secureConnection', (socket) => {
      this.#greeting.delete(peerOf(socket));
      if (socket.alpnProtocol === 'h2') {
        // Some versions of node keep the session of a peer that has gone until it has been idle for long.
        socket.on('end', () => socket.destroy());
        return;
      }
      this.#sockets.set(socket, 0);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  began(request: HttpsRequest, response: HttpsResponse, socket: TLSSocket): void {
    const open = this.#open.get(peerOf(socket));
    if (open !== undefined) this.#shares.touch(addressOf(open), open);
    const busy = this.#sockets.get(socket);
    if (request.httpVersionMajor !== 1 || busy === undefined) return;
    this.#sockets.set(socket, busy + 1);
    if (this.#retiring) (response as ServerResponse).setHeader('connection', 'close');
    response.once('close', () => this.#ended(socket));
  }

  #ended(socket: Socket): void {
    const busy = this.#sockets.get(socket);
    if (busy === undefined) return;
    this.#sockets.set(socket, busy - 1);
    if (this.#stopping && busy === 1) socket.end();
  }

  /** Callers over HTTP/2 learn from the frame GOAWAY which of their requests to repeat; API servers call webhooks by HTTP/1.1. */
  retire(): void {
    this.#retiring = true;
  }

  async stop(clock: Clock, ms: number): Promise<void> {
    this.retire();
    this.#stopping = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const session of this.#sessions) session.close();
    for (const [socket, busy] of this.#sockets) if (busy === 0) socket.end();
    for (const socket of this.#greeting.values()) socket.destroy();
    const cancel = clock.after(ms, () => this.#destroy());
    await closed;
    cancel();
  }

  #destroy(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets.keys()) socket.destroy();
  }
}

function addressOf({ remoteAddress = '' }: Socket): string {
  return remoteAddress;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
