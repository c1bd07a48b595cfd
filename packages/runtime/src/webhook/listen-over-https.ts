import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '@kubewright/client';
import { onAbort } from '@kubewright/kube';
import { BodyGate, type BodyLimits, type RejectedBody } from '@kubewright/kube/serving';
import { RuntimeError } from '../runtime-error.ts';
import { type HttpsRequest, type HttpsResponse, listenHttps, type RequestPeer } from './listen-https.ts';
import { BODY_LIMIT } from './webhook.ts';
import type {
  WebhookHandler,
  WebhookHttpResponse,
  WebhookListen,
  WebhookRequest,
} from './webhook-listener.ts';

/**
 * A review of small objects is read at once. Of larger ones (an object of 3 MiB, twice) one is in memory at a time: V8 needs
 * some ten times its size while it is decided on, and two in a row would hold up the small ones for twice as long.
 */
const BODY_LIMITS: BodyLimits = {
  largest: BODY_LIMIT,
  small: 64 * 1024,
  underWay: 512,
  turns: 1,
  readMs: 10_000,
  wantedMs: 2000,
  waitMs: 10_000,
};

/** What a caller gets whose body was not read. An API server that gets it treats it as any failure of a webhook. */
const REJECTIONS = {
  'too late': { status: 408, headers: {}, body: 'the body of the request did not come in time\n' },
  'too many': { status: 429, headers: { 'retry-after': '1' }, body: 'too many requests are under way\n' },
} as const;

/** Bytes that are read although nobody wants them, and how long a response has until its connection is closed: both as in Go. */
const MAX_DRAINED = 256 * 1024;
const LINGER_MS = 500;

/** Listens for requests to webhooks over HTTP/2 and HTTP/1.1 with TLS. */
export const listenOverHttps: WebhookListen = (certificate, address, handler) => {
  const gate = new BodyGate(BODY_LIMITS, systemClock);
  return listenHttps(certificate, address, (...received) => serve(handler, gate, ...received));
};

async function serve(
  handler: WebhookHandler,
  gate: BodyGate,
  request: HttpsRequest,
  response: HttpsResponse,
  { certificate, address }: RequestPeer,
): Promise<void> {
  const gone = new AbortController();
  let isOver = false;
  // To abort what is done costs as much as a tenth of a small review.
  response.once('close', () => {
    if (!isOver) gone.abort();
  });
  let isRead = false;
  let refusal: WebhookHttpResponse | undefined;
  const body = (): Promise<Uint8Array | 'too large'> =>
    new Promise((resolve, reject) => {
      isRead = true;
      const end = (): void =>
        reject(new RuntimeError('Aborted', 'the caller has gone, or its body did not come'));
      onAbort(gone.signal, end);
      const done = (given: Uint8Array | RejectedBody): void => {
        if (typeof given !== 'string' || given === 'too large') return resolve(given);
        refusal = REJECTIONS[given];
        return gone.abort();
      };
      gate.read(request, { peer: address, announced: lengthOf(request), exchange: response, done });
    });
  const { url = '/', method = 'GET' } = request;
  const headers = headersOf(request.rawHeaders);
  const path = url.split('?')[0] ?? '/';
  const result = await handler({ path, url, method, headers, certificate, body, signal: gone.signal });
  if (isRead) response.once('finish', () => request.destroy());
  else leaveUnread(request, response);
  const reply = refusal ?? result;
  isOver = typeof reply.body === 'string';
  await end(response, reply);
}

/**
 * What a caller sends to a path that is not served costs nothing, except where it is little: then its connection goes on.
 * As in Go, a connection is closed some time after the response, which would be lost with it otherwise.
 */
function leaveUnread(request: HttpsRequest, response: HttpsResponse): void {
  const announced = lengthOf(request) ?? (request.headers['transfer-encoding'] === undefined ? 0 : Infinity);
  if (announced <= MAX_DRAINED) return void request.resume();
  // Node reads on after the response unless somebody has begun to read; and nobody goes on.
  request.read(0);
  const close = (): unknown => systemClock.after(LINGER_MS, () => request.destroy(), { background: true });
  response.once('finish', close);
  return undefined;
}

function lengthOf({ headers }: HttpsRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** A repeated header has each of its values: Node.js would join them with commas, which a group of a user may have, too. */
function headersOf(raw: readonly string[]): WebhookRequest['headers'] {
  const all = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const values = all.get(name) ?? [];
    values.push(raw[at + 1] ?? '');
    all.set(name, values);
  }
  return Object.fromEntries([...all].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}

async function end(response: HttpsResponse, { status, headers, body }: WebhookHttpResponse): Promise<void> {
  if (response.destroyed) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (typeof body === 'string') {
    response.setHeader('content-length', Buffer.byteLength(body));
    (response as { end(body: string): unknown }).end(body);
    return;
  }
  // A body that fails destroys the response: the caller must not take what it has for all.
  await pipeline(Readable.from(body), response as Writable).catch(() => undefined);
}
