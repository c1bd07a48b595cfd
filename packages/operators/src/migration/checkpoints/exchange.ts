import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { defined } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';

export type HttpCall = {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Rejects when nothing is sent or received for so long, and when the server does not accept. Default: it waits. */
  readonly idleMs?: number;
  /** CAs, PEM, in place of those that Node.js trusts. */
  readonly ca?: Buffer;
  /** The caller's certificate and its key, PEM. */
  readonly cert?: Buffer;
  readonly key?: Buffer;
};

export type HttpResponse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/**
 * One call on a connection of its own. The server may respond before it has the whole body: then the rest is not sent.
 * Rejects without a response.
 */
export async function exchange(url: URL, call: HttpCall): Promise<HttpResponse> {
  const { method, headers = {}, body, signal, ca, cert, key, idleMs = 0 } = call;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  // As an option, unlike `setTimeout`, it counts while the connection is being opened, too.
  const options = { method, headers, agent: false, timeout: idleMs } as const;
  const request = send(url, { ...options, ...defined({ ca, cert, key, signal }) });
  request.once('timeout', () => request.destroy(new OperatorError('TimedOut', `silent for ${idleMs} ms`)));
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) request.end(body);
  else pipeline(Readable.from(body), request).catch((error: Error) => request.destroy(error));
  const response = await responded;
  const whole = await text(response);
  request.destroy();
  return { status: response.statusCode ?? 0, headers: response.headers, text: whole };
}

/** Others could read a secret that goes elsewhere in clear text. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(127\.[\d.]+|localhost|\[::1\])$/.test(hostname);
}
