import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { writeFileSync } from 'node:fs';
import { TEST_CERTIFICATE, TEST_KEY } from '../../packages/client/src/testing/test-certificate.ts';

/** A server that takes what comes, and never responds. */
export type SilentPeer = {
  readonly port: number;
  /** Resolves when the next connection, or the next request, has arrived. */
  arrival(): Promise<void>;
  close(): Promise<void>;
};

/** Accepts connections: who sends a request, or begins a TLS handshake, waits for ever. */
export function silentSocket(): Promise<SilentPeer> {
  const arrivals = createArrivals();
  return listening(createServer(arrivals.note), arrivals);
}

/** Accepts connections with TLS and HTTP/2, and requests on them. */
export function silentApi(): Promise<SilentPeer> {
  const arrivals = createArrivals();
  const server = createSecureServer(
    { cert: TEST_CERTIFICATE, key: TEST_KEY, allowHTTP1: true },
    arrivals.note,
  );
  server.on('sessionError', () => undefined).on('tlsClientError', () => undefined);
  return listening(server, arrivals);
}

type Arrivals = { readonly note: () => void; readonly next: () => Promise<void> };

function createArrivals(): Arrivals {
  let waiting: (() => void)[] = [];
  return {
    note() {
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    next: () => new Promise((resolve) => void waiting.push(resolve)),
  };
}

async function listening(server: Server, { next }: Arrivals): Promise<SilentPeer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    arrival: next,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes a kubeconfig that leads to a port of loopback. */
export function writeKubeconfigFor(port: number, path: string): string {
  const server = `https://127.0.0.1:${port}`;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
    clusters: [{ name: 'it', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'it', user: { token: 'a-token' } }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}
