import { Agent } from 'node:https';
import { isLocalError } from '../../api-server-error.ts';
import { callOverHttp1 } from './call-over-http1.ts';
import { callOverHttp2 } from './call-over-http2.ts';
import { asGoError } from './as-go-error.ts';
import { webhookTarget } from './webhook-target.ts';
import { WebhookSessions } from './webhook-sessions.ts';
import type { WebhookCall, WebhookReply, WebhookTransport } from './webhook-transport.ts';

/**
 * Calls webhooks over HTTPS: with HTTP/2 where they support it, which costs half as much as HTTP/1.1. Connections are
 * kept. Certificates are always verified.
 */
export function httpsWebhookTransport(): WebhookTransport {
  const agent = new Agent({ keepAlive: true });
  const sessions = new WebhookSessions();
  const attempt = async (call: WebhookCall, kept: Agent | false): Promise<WebhookReply> => {
    const place = webhookTarget(call);
    const session = await sessions.find(place);
    return session === undefined ? callOverHttp1(kept, place, call) : callOverHttp2(session, place, call);
  };
  return {
    async call(call) {
      try {
        return await attempt(call, agent);
      } catch (error) {
        // The server may close a kept connection just when it is used again, and with it all others.
        if (!isLocalError(error, 'ConnectionLost')) throw asGoError(error, call);
      }
      return attempt(call, false).catch((error: unknown) => {
        throw asGoError(error, call);
      });
    },
    close() {
      agent.destroy();
      sessions.close();
    },
  };
}
