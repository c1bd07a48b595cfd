import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RuntimeError } from '../runtime-error.ts';
import { type HttpsRequest, type HttpsResponse, listenHttps } from './listen-https.ts';
import { BODY_LIMIT } from './webhook.ts';
import type {
  WebhookHandler,
  WebhookHttpResponse,
  WebhookListen,
  WebhookRequest,
} from './webhook-listener.ts';

/** Listens for requests to webhooks over HTTP/2 and HTTP/1.1 with TLS. */
export const listenOverHttps: WebhookListen = (certificate, address, handler) =>
  listenHttps(certificate, address, (...received) => serve(handler, ...received));

async function serve(
  handler: WebhookHandler,
  request: HttpsRequest,
  response: HttpsResponse,
  certificate: Uint8Array | undefined,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let isRead = false;
  const body = (): Promise<Uint8Array | 'too large'> => {
    isRead = true;
    return readBody(request);
  };
  const { url = '/', method = 'GET' } = request;
  const headers = headersOf(request.rawHeaders);
  const path = url.split('?')[0] ?? '/';
  const result = await handler({ path, url, method, headers, certificate, body, signal: gone.signal });
  if (isRead) response.once('finish', () => request.destroy());
  else request.resume();
  await end(response, result);
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

/** Reads at most the limit. Responds to a longer request before its end, and then closes it. */
function readBody(request: HttpsRequest): Promise<Uint8Array | 'too large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) chunks.push(chunk);
      else resolve('too large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('close', () => reject(new RuntimeError('Aborted', 'the caller has gone')));
    request.on('error', reject);
  });
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
