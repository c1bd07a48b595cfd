import { Agent } from 'node:https';
import { isLocalError } from '../../api-server-error.ts';
import { callOverHttp1 } from './call-over-http1.ts';
import { callOverHttp2 } from './call-over-http2.ts';
import { inWordsOfGo } from './in-words-of-go.ts';
import { placeOf } from './webhook-place.ts';
import { WebhookSessions } from './webhook-sessions.ts';
import type { WebhookCall, WebhookReply, WebhookTransport } from './webhook-transport.ts';

/**
 * Calls webhooks over HTTPS: with HTTP/2 where they know it, which costs half as much as HTTP/1.1 does. Connections are
 * kept. Certificates are always verified.
 */
export function httpsWebhookTransport(): WebhookTransport {
  const agent = new Agent({ keepAlive: true });
  const sessions = new WebhookSessions();
  const attempt = async (call: WebhookCall): Promise<WebhookReply> => {
    const place = placeOf(call);
    const session = await sessions.find(place);
    return session === undefined ? callOverHttp1(agent, place, call) : callOverHttp2(session, place, call);
  };
  return {
    async call(call) {
      try {
        return await attempt(call);
      } catch (error) {
        // The server may close a kept connection just when it is used again.
        if (!isLocalError(error, 'ConnectionLost')) throw inWordsOfGo(error, call);
      }
      return attempt(call).catch((error: unknown) => {
        throw inWordsOfGo(error, call);
      });
    },
    close() {
      agent.destroy();
      sessions.close();
    },
  };
}
