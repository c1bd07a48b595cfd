import { Agent, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { cancelRequests } from './cancelled-requests.ts';

/** Where somebody without credentials sends requests. */
export type Target = { readonly port: number; readonly path: string };

export type FloodSize = {
  /** Connections on which a request has begun, and never ends. */
  readonly slow: number;
  /** Reviews of {@link FloodSize.reviewBytes} each. */
  readonly reviews: number;
  readonly reviewBytes: number;
  /** Requests over HTTP/2 that are cancelled at once. */
  readonly cancelled: number;
};

/** Milliseconds after which a server that accepts no more has made itself clear. */
const PATIENCE_MS = 10_000;

/** All at once. Resolves when the reviews and the cancelled requests are through; `release` closes the slow connections. */
export async function flood(target: Target, size: FloodSize): Promise<{ release(): void }> {
  const slow = Array.from({ length: size.slow }, () => openSlow(target));
  const body = reviewOf(size.reviewBytes);
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: size.reviews });
  await Promise.all([
    ...Array.from({ length: size.reviews }, () => sendReview(target, agent, body)),
    cancelRequests(target.port, size.cancelled),
  ]);
  agent.destroy();
  return { release: () => slow.forEach((socket) => socket.destroy()) };
}

/** A connection that announces a large body, sends some of it, and then nothing. */
function openSlow({ port, path }: Target): TLSSocket {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  socket.on('secureConnect', () => {
    const head = `POST ${path} HTTP/1.1\r\nhost: webhook\r\ncontent-type: application/json\r\ncontent-length: 3000000\r\n\r\n`;
    socket.write(
      `${head}{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","padding":"${'x'.repeat(1000)}`,
    );
  });
  return socket;
}

/** A review of a large ConfigMap, as JSON. */
function reviewOf(bytes: number): string {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'large', namespace: 'flood', uid: 'large' },
    data: Object.fromEntries(
      Array.from({ length: bytes / 100 }, (_, index) => [`key-${index}`, 'x'.repeat(80)]),
    ),
  };
  const about = {
    uid: 'flood',
    operation: 'CREATE',
    namespace: 'flood',
    name: 'large',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    userInfo: { username: 'somebody', groups: [] },
    object,
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: about });
}

/** Resolves however it ends. */
function sendReview({ port, path }: Target, agent: Agent, body: string): Promise<void> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(
      { agent, host: '127.0.0.1', port, path, method: 'POST', headers, timeout: PATIENCE_MS },
      (response) => response.resume().on('close', () => resolve()),
    );
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve());
    call.on('close', () => resolve());
    call.end(body);
  });
}
