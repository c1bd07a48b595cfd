import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { aborted } from '@kubewright/kube';
import { detach, listen, requestListener } from '@kubewright/kube/serving';
import { collectTogether, type Manager } from '@kubewright/runtime';
import { createGrpcServer } from './create-grpc-server.ts';
import { guardStreams } from './guard-streams.ts';
import type { DeploymentCalls } from './deployment-calls.ts';
import type { Listen } from './listen-settings.ts';

/** A connection that says nothing is closed. */
const SILENCE_MS = 10_000;

/** Serves gRPC, and `/health` and `/metrics` over HTTP/1.1, on one port, until the signal. */
export async function serveCalls(
  calls: DeploymentCalls,
  { host, port, tls, onListening }: Listen,
  { log, registry }: Pick<Manager, 'log' | 'registry'>,
  signal: AbortSignal,
): Promise<void> {
  const grpc = createGrpcServer(calls, (call, error) => log.info('a call failed', { call, error }));
  const failed = (error: unknown): void => log.error('the API for package managers failed', { error });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  guardStreams(grpc, failed);
  const metrics = { type: registry.contentType, collect: collectTogether(registry) };
  const http = createHttpServer(
    requestListener(
      (request: IncomingMessage, response: ServerResponse) => respond(request, response, metrics),
      failed,
    ),
  );
  const route = (socket: Socket): void =>
    routed(
      socket,
      () => injector.injectConnection(socket),
      () => http.emit('connection', socket),
    );
  const sockets = new Set<Socket>();
  const server = listener(tls, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    detach(() => route(socket), failed);
  });
  const bound = await listen(server, { host, port }, failed);
  log.info('the API for package managers listens', { host, port: bound });
  onListening?.(bound);
  await aborted(signal);
  grpc.forceShutdown();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}

/** A client needs a certificate of the given CA. */
function listener(tls: Listen['tls'], onSocket: (socket: Socket) => void): Server {
  if (tls === undefined) return createServer(onSocket);
  const options = {
    cert: readFileSync(tls.certFile),
    key: readFileSync(tls.keyFile),
    ca: readFileSync(tls.clientCaFile),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['h2', 'http/1.1'],
  };
  return createTlsServer(options, onSocket);
}

/** HTTP/2 begins with `PRI * HTTP/2.0`. What was read is put back; the socket must not flow yet. */
function routed(socket: Socket, toGrpc: () => void, toHttp: () => void): void {
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  socket.once('readable', () => {
    const first: unknown = socket.read();
    socket.setTimeout(0);
    socket.removeAllListeners('timeout');
    if (!Buffer.isBuffer(first)) return;
    socket.unshift(first);
    if (first.toString('latin1', 0, 3) === 'PRI') toGrpc();
    else toHttp();
  });
}

async function respond(
  { url = '/' }: IncomingMessage,
  response: ServerResponse,
  metrics: { readonly type: string; readonly collect: () => Promise<string> },
): Promise<void> {
  const path = url.split('?')[0];
  if (path === '/health' || path === '/healthz') response.end('ok');
  else if (path === '/metrics') response.setHeader('content-type', metrics.type).end(await metrics.collect());
  else response.writeHead(404).end();
}
