import * as http2 from 'node:http2';
import * as net from 'node:net';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.ts';

export type Handler = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;

export type TestHttp2Server = {
  readonly url: string;
  readonly port: number;
  /** Connections opened so far. */
  readonly sessions: http2.ServerHttp2Session[];
  stop(): Promise<void>;
};

/** An HTTPS server on a free port of the loopback; serves HTTP/1.1 too. */
export async function startServer(
  handler: Handler,
  options: http2.SecureServerOptions = {},
  wantedPort: number = 0,
): Promise<TestHttp2Server> {
  const server = http2.createSecureServer(
    { key: TEST_KEY, cert: TEST_CERTIFICATE, allowHTTP1: true, ...options },
    handler,
  );
  const sessions: http2.ServerHttp2Session[] = [];
  const sockets = new Set<net.Socket>();
  server.on('session', (session) => sessions.push(session));
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('sessionError', () => undefined);
  server.on('tlsClientError', () => undefined);
  const port = await listen(server, wantedPort);
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    sessions,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type TestProxy = {
  readonly url: string;
  /** From now on drops all bytes without closing a connection: a pulled cable. */
  freeze(): void;
  stop(): Promise<void>;
};

/** Passes bytes on to `port`. */
export async function startProxy(port: number): Promise<TestProxy> {
  const sockets: net.Socket[] = [];
  let frozen = false;
  const server = net.createServer((near) => {
    if (frozen) {
      sockets.push(near);
      return;
    }
    const far = net.connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.push(socket);
      socket.on('error', () => undefined);
    }
    near.pipe(far).pipe(near);
  });
  const own = await listen(server, 0);
  return {
    url: `https://127.0.0.1:${own}`,
    freeze() {
      frozen = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Listener = {
  listen(port: number, host: string, ready: () => void): unknown;
  address(): unknown;
};

function listen(server: Listener, port: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port));
  });
}
