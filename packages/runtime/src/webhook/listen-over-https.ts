import { RuntimeError } from '../runtime-error.ts';
import { type HttpsRequest, type HttpsResponse, listenHttps } from './listen-https.ts';
import { BODY_LIMIT } from './webhook.ts';
import type { WebhookHandler, WebhookListen, WebhookHttpResponse } from './webhook-listener.ts';

/** Listens for requests to webhooks over HTTP/2 and HTTP/1.1 with TLS. */
export const listenOverHttps: WebhookListen = (certificate, address, handler) =>
  listenHttps(certificate, address, (request, response) => void serve(handler, request, response));

async function serve(handler: WebhookHandler, request: HttpsRequest, response: HttpsResponse): Promise<void> {
  // A caller that disconnects, or breaks the protocol, must not crash the process.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let isRead = false;
  const body = (): Promise<Uint8Array | 'too large'> => {
    isRead = true;
    return readBody(request);
  };
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const result = await handler({ path, headers: request.headers, body, signal: gone.signal });
  if (isRead) response.once('finish', () => request.destroy());
  else request.resume();
  end(response, result);
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

function end(response: HttpsResponse, { status, contentType, body }: WebhookHttpResponse): void {
  if (response.destroyed) return;
  response.statusCode = status;
  response.setHeader('content-type', contentType);
  response.setHeader('content-length', Buffer.byteLength(body));
  (response as { end(body: string): unknown }).end(body);
}
