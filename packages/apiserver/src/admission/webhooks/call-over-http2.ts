import { type ClientHttp2Stream, constants } from 'node:http2';
import { onAbort } from '@kubewright/kube';
import { localError } from '../../api-server-error.ts';
import { collectResponse } from './collect-response.ts';
import { connectionLost, type WebhookTarget } from './webhook-target.ts';
import type { WebhookSession } from './webhook-sessions.ts';
import type { WebhookCall, WebhookReply } from './webhook-transport.ts';

/** One call over HTTP/2, beside others on the same connection. */
export function callOverHttp2(
  session: WebhookSession,
  { path, authority }: WebhookTarget,
  { headers, body, signal }: WebhookCall,
): Promise<WebhookReply> {
  return new Promise((resolve, reject) => {
    const { reused } = session;
    let stream: ClientHttp2Stream;
    try {
      stream = session.request({ ':method': 'POST', ':path': path, ':authority': authority, ...headers });
    } catch {
      reject(connectionLost());
      return;
    }
    const leave = (): void => stream.close(constants.NGHTTP2_CANCEL);
    const forget = onAbort(signal, leave);
    let response: Pick<WebhookReply, 'status' | 'contentType'> | undefined;
    const collected = collectResponse(stream);
    stream.on('response', (head) => {
      response = { status: head[':status'] ?? 0, contentType: head['content-type'] ?? '' };
    });
    const isRefused = (): boolean => stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    stream.on('error', (error) => {
      const lost = response === undefined && !signal.aborted && (reused || isRefused());
      reject(lost ? connectionLost() : error);
    });
    stream.on('close', () => {
      forget();
      if (response !== undefined && stream.rstCode === constants.NGHTTP2_NO_ERROR)
        resolve({ ...response, body: collected() });
      else
        reject(
          reused || isRefused() ? connectionLost() : localError('ConnectionReset', 'the connection ended'),
        );
    });
    stream.end(body);
  });
}
