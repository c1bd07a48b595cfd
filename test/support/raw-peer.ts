import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where a peer connects to on the loopback. */
export type PeerTarget = {
  readonly port: number;
  /** The protocols that it offers under TLS. Absent: without TLS. */
  readonly alpn?: readonly string[];
};

/** A connection whose bytes the test writes itself. */
export type RawPeer = {
  readonly socket: Socket;
  /** What it has received so far. */
  received(): Buffer;
  /** Ends the connection as a peer does that has forgotten it (RST). */
  reset(): void;
  /** Resolves when the connection is closed, whoever closed it. */
  readonly closed: Promise<unknown>;
};

/** Resolves once it is connected, or when the server closes the connection before. */
export async function connectRaw({ port, alpn }: PeerTarget): Promise<RawPeer> {
  const tcp = connect({ host: '127.0.0.1', port });
  tcp.on('error', () => undefined);
  const socket =
    alpn === undefined
      ? tcp
      : connectTls({ socket: tcp, rejectUnauthorized: false, ALPNProtocols: [...alpn] });
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const connected = new Promise<void>((resolve) =>
    socket.once(alpn === undefined ? 'connect' : 'secureConnect', () => resolve()),
  );
  await Promise.race([connected, closed]);
  return { socket, received: () => Buffer.concat(chunks), reset: () => tcp.resetAndDestroy(), closed };
}

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header field that no table has. */
function literal(name: string, value: string): Buffer {
  const text = (of: string): Buffer => Buffer.concat([Buffer.from([of.length]), Buffer.from(of)]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** Frames of HTTP/2 (RFC 9113), for peers that send some of them, or wrong ones. Texts are shorter than 127 bytes. */
export const http2Frames = {
  preface: (): Buffer => Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]),
  /** A POST of JSON whose body is to come. */
  post: (stream: number, path: string): Buffer => {
    const fields = [
      Buffer.from([0x83, 0x87]),
      literal(':path', path),
      literal(':authority', 'localhost'),
      literal('content-type', 'application/json'),
    ];
    return frame(1, 4, stream, Buffer.concat(fields));
  },
  data: (stream: number, body: string): Buffer => frame(0, 0, stream, Buffer.from(body)),
  cancel: (stream: number): Buffer => frame(3, 0, stream, Buffer.from([0, 0, 0, 8])),
  /** Of any type, right or wrong. */
  any: (type: number, flags: number, stream: number, payload: Buffer): Buffer =>
    frame(type, flags, stream, payload),
};
