import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:tls';

/** Where a webhook is served, and the CA of its certificate. */
export type Target = { readonly port: number; readonly ca: string };

/** One connection by HTTP/1.1, on which one request is under way at a time. */
export type WebhookConnection = {
  /** Sends a whole request; resolves with the whole response. */
  send(request: Buffer): Promise<Buffer>;
  close(): void;
};

const BLANK_LINE = '\r\n\r\n';
const LAST_CHUNK = Buffer.from(`0${BLANK_LINE}`);

/**
 * A client that costs next to nothing: one that reads headers and bodies while others wait would be a third of what is measured. It
 * looks for the end of a response alone; {@link bodyIn} reads it afterwards.
 */
export async function connectTo({ port, ca }: Target): Promise<WebhookConnection> {
  const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  socket.setNoDelay(true);
  let answered: ((response: Buffer) => void) | undefined;
  let failed: ((error: Error) => void) | undefined;
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    received = received.length === 0 ? data : Buffer.concat([received, data]);
    if (!isWhole(received)) return;
    const response = received;
    received = Buffer.alloc(0);
    answered?.(response);
  });
  socket.on('error', (error) => failed?.(error));
  socket.on('close', () => failed?.(new Error('the webhook has closed the connection')));
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        [answered, failed] = [resolve, reject];
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

function isWhole(received: Buffer): boolean {
  const head = received.indexOf(BLANK_LINE);
  if (head < 0) return false;
  const length = lengthIn(received.toString('latin1', 0, head));
  if (length === undefined) return received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  return received.length >= head + BLANK_LINE.length + length;
}

/** Undefined for a response in chunks. */
function lengthIn(head: string): number | undefined {
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length === undefined ? undefined : Number(length);
}

/** The body of a whole response. Throws for any status but 200. */
export function bodyIn(response: Buffer): string {
  const head = response.indexOf(BLANK_LINE);
  const about = response.toString('latin1', 0, head);
  assert.match(about, /^HTTP\/1.1 200/);
  const body = response.subarray(head + BLANK_LINE.length);
  return lengthIn(about) === undefined ? withoutChunks(body).toString() : body.toString();
}

function withoutChunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, end), 16);
    if (length === 0) return Buffer.concat(parts);
    parts.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
