import type { Json } from '@kubewright/kube';
import type { Message } from '@kubewright/migratable';

/** An AMQP message: properties by name (`contentType`, `headers`, …), and a body of bytes. */
export type RawMessage = {
  readonly properties: { readonly [name: string]: Json };
  readonly body: Uint8Array;
  /** How it was published. */
  readonly exchange?: string;
  readonly routingKey?: string;
};

export function rawMessage({ body, headers = {} }: Message): RawMessage {
  if (body instanceof Uint8Array) return { properties: { headers }, body };
  const isText = typeof body === 'string';
  return {
    properties: { headers, contentType: isText ? 'text/plain' : 'application/json' },
    body: Buffer.from(isText ? body : JSON.stringify(body)),
  };
}

/** Decodes the body like AMQP clients: invalid JSON stays bytes. */
export function messageOf({ properties, body }: RawMessage): Message {
  const headers = Object.entries((properties['headers'] ?? {}) as Readonly<Record<string, unknown>>).filter(
    (entry): entry is [string, string | number | boolean] =>
      ['string', 'number', 'boolean'].includes(typeof entry[1]),
  );
  return { headers: Object.fromEntries(headers), body: bodyOf(properties['contentType'], body) };
}

function bodyOf(contentType: unknown, body: Uint8Array): unknown {
  if (contentType === 'text/plain') return Buffer.from(body).toString();
  if (contentType !== 'application/json') return body;
  try {
    return JSON.parse(Buffer.from(body).toString()) as unknown;
  } catch {
    return body;
  }
}
