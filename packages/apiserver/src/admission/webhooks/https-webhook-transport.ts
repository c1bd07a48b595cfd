import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import { inWordsOfGo } from './in-words-of-go.ts';
import type { WebhookCall, WebhookReply, WebhookTransport } from './webhook-transport.ts';

/** The largest answer that is read: a patch of the largest object, and room for its encoding. */
const LONGEST_ANSWER = 16 * 1024 * 1024;

/** Calls webhooks over HTTPS, on connections that are kept. Certificates are always verified. */
export function httpsWebhookTransport(): WebhookTransport {
  const agent = new Agent({ keepAlive: true });
  return {
    async call(question) {
      try {
        return await attempt(agent, question);
      } catch (error) {
        // The server may close a kept connection just when it is used again.
        if (!(error instanceof LostConnection)) throw inWordsOfGo(error, question);
      }
      return attempt(agent, question).catch((error: unknown) => {
        throw inWordsOfGo(error, question);
      });
    },
    close: () => agent.destroy(),
  };
}

/** A kept connection ended before anything was answered on it. */
class LostConnection extends Error {}

function attempt(agent: Agent, call: WebhookCall): Promise<WebhookReply> {
  const { url, address, caBundle, headers, body, signal } = call;
  const target = new URL(url);
  const hostname = target.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        method: 'POST',
        path: target.pathname + target.search,
        host: address?.host ?? hostname,
        port: address?.port ?? (target.port === '' ? 443 : Number(target.port)),
        // The name in the certificate; an address there is checked without one.
        servername: isIP(hostname) === 0 ? hostname : '',
        headers: { ...headers, host: target.host, 'content-length': body.length },
        signal,
        ...(caBundle === '' ? {} : { ca: caBundle }),
      },
      (response) => void collect(response).then(resolve, reject),
    );
    sent.on('error', (error) => {
      const reset = sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      reject(reset && !signal.aborted ? new LostConnection() : error);
    });
    sent.end(body);
  });
}

async function collect(response: IncomingMessage): Promise<WebhookReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_ANSWER) {
      response.destroy();
      throw new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`);
    }
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    body: Buffer.concat(chunks, size),
  };
}
