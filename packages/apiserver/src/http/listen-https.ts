import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { listen, PeerShares, requestListener } from '@kubewright/kube/serving';
import type { ServingCertificates } from './serving-certificates.ts';
import { serveHttp1 } from './serve-http1.ts';
import { serveStream } from './serve-stream.ts';
import type { Serve } from './serve.ts';
import { serveUpgrade } from './web-socket/serve-upgrade.ts';

/** How long a client may take to agree on TLS. */
const GREETING_MS = 10_000;
/** Connections of all clients. One too many is at the expense of the address that has the most, and of its oldest. */
const MAX_CONNECTIONS = 5000;

/** A listening server. */
export type Listening = {
  readonly port: number;
  /** Ends what is under way and frees the port. */
  close(): Promise<void>;
};

/** Serves HTTPS with HTTP/2 and, for clients without it, HTTP/1.1. */
export async function listenHttps(
  serve: Serve,
  { cert, key, clientCa }: Pick<ServingCertificates, 'cert' | 'key'> & { readonly clientCa: string },
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createSecureServer({
    cert,
    key,
    allowHTTP1: true,
    // Clients may send a certificate. The authenticator verifies it, and rejects with a Status.
    ca: clientCa,
    requestCert: true,
    rejectUnauthorized: false,
    // MiB of buffers per connection: 32 large lists at once are usual, node's default of 10 rejects them.
    maxSessionMemory: 512,
    // What is not read yet of a body is kept by node: a window for each request.
    settings: { maxConcurrentStreams: 250, initialWindowSize: 1 << 16 },
    handshakeTimeout: GREETING_MS,
  });
  // Attaching 'request' also attaches node's compatibility layer to HTTP/2 streams: those are served without it.
  server.on(
    'request',
    requestListener(
      (request, response) => serveHttp1(serve, request as never, response as never),
      (error) => serve.failed(error),
    ),
  );
  server.on('upgrade', (message: IncomingMessage, socket: TLSSocket, first: Buffer) =>
    serveUpgrade(serve, message, socket, first),
  );
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers) => serveStream(serve, stream, headers));
  const connections = track(server);
  return {
    port: await listen(server, { host, port }, (error) => serve.failed(error)),
    close: () => close(server, connections),
  };
}

type Connections = { readonly sessions: Set<ServerHttp2Session>; readonly sockets: Set<Socket> };

function track(server: Http2SecureServer): Connections {
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A peer that breaks the protocol loses its connection, not our process.
    session.on('error', () => session.destroy());
  });
  server.on('secureConnection', (socket) => {
    // Some versions of node keep the session of a peer that has gone until it has been idle for long.
    if (socket.alpnProtocol === 'h2') socket.on('end', () => socket.destroy());
  });
  const shares = new PeerShares<Socket>(MAX_CONNECTIONS);
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      shares.delete(remoteAddress, socket);
    });
    shares.add(remoteAddress, socket)?.destroy();
  });
  return { sessions, sockets };
}

async function close(server: Http2SecureServer, { sessions, sockets }: Connections): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const session of sessions) session.destroy();
  for (const socket of sockets) socket.destroy();
  await closed;
}
