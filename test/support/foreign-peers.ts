import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import * as fc from 'fast-check';
import type { KeyPair } from './certificates.ts';

/** A server that does not do what a client expects of one. */
export type ForeignPeer = {
  readonly port: number;
  /** Bytes that its clients have taken, of all connections. */
  readonly taken: number;
  /** Connections that its clients have not closed. */
  readonly open: number;
  close(): Promise<void>;
};

/** What it does with a connection. */
export type Behaviour = (socket: Socket) => void;

const CHUNK = 64 * 1024;

/** Sends a text as soon as the client has sent something. */
const answer =
  (bytes: string | Buffer): Behaviour =>
  (socket) =>
    void socket.once('data', () => socket.write(bytes));

/** Sends chunk after chunk, as fast as the client takes them. */
const endless =
  (chunk: Buffer, head = ''): Behaviour =>
  (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.write(head);
    more();
    socket.on('drain', more);
  };

/** The first bytes of servers, which clients take for what they wait for. */
const BEGINNINGS: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['', Buffer.alloc(0)],
  ['after the head of HTTP', Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')],
  ['after the SETTINGS of HTTP/2', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])],
  [
    'after the INFO of NATS',
    Buffer.from('INFO {"server_id":"N","version":"2.10.0","max_payload":1048576}\r\n'),
  ],
];

/** Random bytes as a server's response: seeded, so that what fails can be played again. */
export function randomBehaviours(seed: number): Readonly<Record<string, Behaviour>> {
  const [bytes = new Uint8Array()] = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 4096 }), {
    seed,
    numRuns: 1,
  });
  const named = BEGINNINGS.map(([name, begin]) => {
    const behave = (socket: Socket): void => void socket.write(Buffer.concat([begin, bytes]));
    return [`sends random bytes ${name}, seed ${seed}`, behave] as const;
  });
  return Object.fromEntries(named);
}

/** Over TLS there is no way to reset: the connection breaks off. */
const reset = (socket: Socket): void =>
  void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy());

const HTTP = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** What a wrong port, a broken server, or one that means no good does. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'closes at once': (socket) => void socket.end(),
  'closes after the first bytes': (socket) => void socket.once('data', () => socket.end()),
  'resets at once': (socket) => reset(socket),
  'resets after the first bytes': (socket) => void socket.once('data', () => reset(socket)),
  'is silent': () => undefined,
  'is silent, and reads nothing': (socket) => void socket.pause(),
  'says that it sends nothing more, and stays': (socket) => void socket.end(),
  'speaks HTTP': answer(`HTTP/1.1 400 Bad Request\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello`),
  'speaks SSH': (socket) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
  'speaks NATS': (socket) =>
    void socket.write('INFO {"server_id":"N","version":"2.10.0","max_payload":1048576}\r\n'),
  'speaks older AMQP': answer('AMQP\0\0\u0009\0'),
  'begins a response, and resets': (socket) =>
    void socket.once('data', () => {
      socket.write(`${HTTP}content-length: 100\r\n\r\n{"a":`, () => reset(socket));
    }),
  'begins a response, and is silent': answer(`${HTTP}content-length: 100\r\n\r\n{"a":`),
  'sends a header without an end': endless(Buffer.alloc(CHUNK, 'a'), 'HTTP/1.1 200 OK\r\nx: '),
  'sends a body without an end': endless(Buffer.alloc(CHUNK, ' '), `${HTTP}connection: close\r\n\r\n[`),
  'sends a line without an end': endless(Buffer.alloc(CHUNK, 'a')),
  'sends zeros without an end': endless(Buffer.alloc(CHUNK)),
};

/** Listens on a free loopback port; with a certificate, over TLS, and for HTTP/2 too. */
export async function startForeignPeer(behave: Behaviour, secure?: KeyPair): Promise<ForeignPeer> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const known = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      taken += socket.bytesWritten;
    });
    // Clients hang up: that is what they should do.
    socket.on('error', () => socket.destroy());
  };
  const begin = (socket: Socket): void => {
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.resume();
    behave(socket);
  };
  const options = { allowHalfOpen: true, noDelay: true };
  const server =
    secure === undefined
      ? createServer(options, begin)
      : createTlsServer({ ...options, ...secure, ALPNProtocols: ['h2', 'http/1.1'] }, begin);
  server.on('connection', known);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get taken() {
      return [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, taken);
    },
    get open() {
      return sockets.size;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** What nobody caught while `use` ran: such an error ends a process that is no test. */
export async function escaped(use: () => Promise<unknown>): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  const note = (error: unknown): void => void found.push(error);
  process.on('uncaughtExceptionMonitor', note).on('unhandledRejection', note);
  try {
    await use();
    // Rejections that nobody handles are reported after the turn in which they happen.
    await new Promise((resolve) => setImmediate(resolve));
    return found;
  } finally {
    process.off('uncaughtExceptionMonitor', note).off('unhandledRejection', note);
  }
}
