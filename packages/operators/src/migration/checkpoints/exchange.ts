import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
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

/** Agents and registries send facts and names: what is larger is neither. */
const MOST_BYTES = 1024 * 1024;

/**
 * One call on a connection of its own. The server may respond before it has the whole body: then the rest is not sent.
 * Rejects without a response, with one that is larger than 1 MiB, and with the reason of `signal`.
 */
export async function exchange(url: URL, call: HttpCall): Promise<HttpResponse> {
  const { method, headers = {}, body, signal, ca, cert, key, idleMs = 0 } = call;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  // As an option, unlike `setTimeout`, it counts while the connection is being opened, too.
  const options = { method, headers, agent: false, timeout: idleMs } as const;
  const request = send(url, { ...options, ...defined({ ca, cert, key, signal }) });
  const silent = new OperatorError('TimedOut', `silent for ${idleMs} ms`);
  let late: unknown;
  request.once('timeout', () => request.destroy((late = silent)));
  try {
    const response = await responseTo(request, body);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: await textOf(response),
    };
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : (late ?? error);
  } finally {
    request.destroy();
  }
}

function responseTo(request: ClientRequest, body: HttpCall['body']): Promise<IncomingMessage> {
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    // It stays: a connection may still break when the response has begun.
    request.on('error', reject);
  });
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) request.end(body);
  else pipeline(Readable.from(body), request).catch((error: Error) => request.destroy(error));
  return responded;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES)
      throw new OperatorError('Failed', `the response is larger than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Others could read a secret that goes elsewhere in clear text. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(127\.[\d.]+|localhost|\[::1\])$/.test(hostname);
}
