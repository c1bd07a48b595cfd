import type { Socket } from 'node:net';
import type { Sink } from '../serve.ts';
import { clientFrames } from './client-frames.ts';

const [TEXT, CLOSE, PONG] = [0x1, 0x8, 0xa];
const NORMAL = 1000;
const LINE_FEED = 0x0a;

/** A frame of a server: whole, and not masked (RFC 6455, 5.2). */
function frame(opcode: number, payload: Uint8Array): Buffer {
  return Buffer.concat([headOf(opcode, payload.length), payload]);
}

function headOf(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.of(first, length);
  if (length < 1 << 16) return Buffer.of(first, 126, length >> 8, length & 0xff);
  const head = Buffer.alloc(10);
  head.writeUInt16BE((first << 8) | 127);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

function closing(status: number): Buffer {
  return frame(CLOSE, Buffer.of(status >> 8, status & 0xff));
}

/**
 * Writes lines to a WebSocket, each as a message of text, as kube-apiserver writes watch events. What the client sends is ignored,
 * but pings and its wish to end. `first`: what came from it behind its request.
 */
export function webSocket(socket: Socket, first: Uint8Array): Sink {
  let ended = false;
  let begun: Uint8Array = Buffer.alloc(0);
  const end = (status = NORMAL): void => {
    if (ended) return;
    ended = true;
    if (status !== NORMAL) socket.write(closing(status));
    socket.write(closing(NORMAL));
    socket.destroySoon();
  };
  const read = clientFrames({
    // A client that sends pings and does not read gets none back, in place of a queue of them.
    ping: (payload) => void (socket.writableNeedDrain || ended || socket.write(frame(PONG, payload))),
    end,
  });
  socket.on('data', read);
  socket.on('end', () => end());
  if (first.length > 0) read(first);
  return {
    get destroyed() {
      return ended || socket.destroyed;
    },
    once: (event, listener) => socket.once(event, listener),
    destroy: (error) => socket.destroy(error),
    end: () => end(),
    write(chunk, written) {
      const { lines, rest } = linesIn(begun.length === 0 ? chunk : Buffer.concat([begun, chunk]));
      begun = rest;
      return socket.write(Buffer.concat(lines.map((line) => frame(TEXT, line))), written);
    },
  };
}

/** Each line with its end, and what follows the last. */
function linesIn(bytes: Uint8Array): { readonly lines: readonly Uint8Array[]; readonly rest: Uint8Array } {
  const lines: Uint8Array[] = [];
  let from = 0;
  for (;;) {
    const to = bytes.indexOf(LINE_FEED, from) + 1;
    if (to === 0) return { lines, rest: bytes.subarray(from) };
    lines.push(bytes.subarray(from, to));
    from = to;
  }
}
