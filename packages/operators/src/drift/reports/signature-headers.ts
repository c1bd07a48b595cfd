import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * The headers by which a receiver knows who has sent a message, and when, after Standard Webhooks
 * (https://www.standardwebhooks.com). A secret that begins with `whsec_` is base64, any other is taken as it is.
 */
export function signatureHeaders(
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
  secret: string,
): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const text = secret.trim();
  const key = text.startsWith(PREFIX) ? Buffer.from(text.slice(PREFIX.length), 'base64') : Buffer.from(text);
  const digest = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${digest}` };
}
