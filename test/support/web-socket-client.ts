import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';

/** One frame of a server. */
type Frame = { readonly opcode: number; readonly payload: Buffer };

export const [TEXT, CLOSE, PING, PONG] = [0x1, 0x8, 0x9, 0xa] as const;

/** How a server responded to a request with `Upgrade: websocket`. */
export type Upgraded = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, where the connection is no WebSocket. */
  readonly text: string;
  /** The next frame; undefined where the connection has ended. */
  next(): Promise<Frame | undefined>;
  /** Sends a frame, masked as a client has to; or not. */
  send(opcode: number, payload?: Uint8Array, masked?: boolean): void;
  close(): void;
};

type Place = { readonly url: string; readonly caCert: string };

/** Asks for a WebSocket as clients do: with an origin, a key and version 13. Headers of value undefined are left out. */
export function openWebSocket(
  { url, caCert }: Place,
  path: string,
  more: Readonly<Record<string, string | undefined>>,
): Promise<Upgraded> {
  const all = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    origin: url,
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-version': '13',
    ...more,
  };
  const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { ca: caCert, agent: false, headers });
    call.on('error', reject);
    call.on('upgrade', ({ statusCode: status = 0, headers }, socket, first) =>
      resolve({ status, headers, text: '', ...framesOf(socket, first) }),
    );
    call.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        const none = { next: async () => undefined, send: () => {}, close: () => {} };
        resolve({ status, headers, text, ...none });
      });
    });
    call.end();
  });
}

function framesOf(socket: Socket, first: Buffer): Pick<Upgraded, 'next' | 'send' | 'close'> {
  let bytes = first;
  const chunks = socket[Symbol.asyncIterator]();
  return {
    async next() {
      for (;;) {
        const found = frameIn(bytes);
        if (found !== undefined) {
          bytes = bytes.subarray(found.size);
          return found.frame;
        }
        const { done, value } = await chunks.next();
        if (done === true) return undefined;
        bytes = Buffer.concat([bytes, value as Buffer]);
      }
    },
    send(opcode, payload = Buffer.alloc(0), masked = true) {
      const mask = masked ? randomBytes(4) : Buffer.alloc(0);
      const body = masked ? payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)) : payload;
      socket.write(
        Buffer.concat([Buffer.of(0x80 | opcode, (masked ? 0x80 : 0) | payload.length), mask, body]),
      );
    },
    close: () => void socket.destroy(),
  };
}

function frameIn(bytes: Buffer): { readonly frame: Frame; readonly size: number } | undefined {
  if (bytes.length < 2) return undefined;
  const [opcode, short] = [bytes.readUInt8(0) & 0x0f, bytes.readUInt8(1)];
  const from = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
  if (bytes.length < from) return undefined;
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const size = from + length;
  return bytes.length < size ? undefined : { frame: { opcode, payload: bytes.subarray(from, size) }, size };
}
