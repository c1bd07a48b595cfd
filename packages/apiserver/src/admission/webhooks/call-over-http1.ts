import { type Agent, request } from 'node:https';
import { onAbort } from '@kubewright/kube';
import { localError } from '../../api-server-error.ts';
import { whenKeptClosed } from '../../when-kept-closed.ts';
import { collectResponse } from './collect-response.ts';
import { connectionLost, tlsOptionsOf, type WebhookTarget } from './webhook-target.ts';
import type { WebhookCall, WebhookReply } from './webhook-transport.ts';

/** One call over HTTP/1.1, on a connection that the agent keeps; `false`: on one of its own. */
export function callOverHttp1(
  agent: Agent | false,
  place: WebhookTarget,
  { headers, body, signal }: WebhookCall,
): Promise<WebhookReply> {
  return new Promise((resolve, reject) => {
    const { path, authority } = place;
    const all = { ...headers, host: authority, 'content-length': body.length };
    const sent = request({ agent, method: 'POST', path, headers: all, ...tlsOptionsOf(place) });
    const leave = (): void => void sent.destroy(localError('Canceled', 'the call was canceled'));
    const forget = onAbort(signal, leave);
    sent.on('response', (response) => {
      const collected = collectResponse(response);
      response.on('error', reject);
      response.on('end', () => {
        const contentType = response.headers['content-type'] ?? '';
        resolve({ status: response.statusCode ?? 0, contentType, body: collected() });
      });
    });
    const isKeptClosed = whenKeptClosed(sent);
    sent.on('error', (error) => {
      reject(isKeptClosed(error) && !signal.aborted ? connectionLost() : error);
    });
    sent.on('close', forget);
    sent.end(body);
  });
}
