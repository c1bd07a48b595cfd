import * as http from 'node:http';
import * as https from 'node:https';
import type { ApiRequest, ApiResponse } from '@kubewright/kube';
import { localError } from '../api-server-error.ts';
import { whenKeptClosed } from '../when-kept-closed.ts';

/** A request on its way to another server. */
export type Outgoing = Pick<ApiRequest, 'headers'> & {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: Uint8Array;
  readonly address: { readonly host: string; readonly port: number };
  readonly signal?: AbortSignal | undefined;
};

/** What is about the connection and not about the request. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What may be sent twice. */
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Sends a request, over TLS if `tls` is given, on a connection that the agent keeps; `false`: on one of its own. Rejects where
 * there is no response; a truncated body just ends.
 */
export function forwardRequest(
  agent: http.Agent | https.Agent | false,
  outgoing: Outgoing,
  tls?: https.RequestOptions,
): Promise<ApiResponse> {
  const { method, path, address, body, signal } = outgoing;
  const request = tls === undefined ? http.request : https.request;
  const how = { agent, method, path, ...address, headers: headersOf(outgoing), ...tls };
  return new Promise((resolve, reject) => {
    const sent = request(signal === undefined ? how : { ...how, signal }, (response) =>
      resolve({
        status: response.statusCode ?? 0,
        headers: passedOn(response.headers),
        body: chunks(response),
      }),
    );
    const isKeptClosed = whenKeptClosed(sent);
    sent.on('error', (error) => {
      if (READS.has(method) && isKeptClosed(error)) resolve(forwardRequest(false, outgoing, tls));
      else reject(encodeJson(error, address));
    });
    sent.end(body);
  });
}

function headersOf({ headers, address, body }: Outgoing): Record<string, string | string[]> {
  const host = `${address.host}:${address.port}`;
  const length = body.length === 0 ? {} : { 'content-length': String(body.length) };
  const { 'content-length': _, ...rest } = passedOn(headers);
  return { host, ...(rest as Record<string, string | string[]>), ...length };
}

/** Headers that are for the other end: not of the connection, and not HTTP/2's own. */
function passedOn(
  headers: http.IncomingMessage['headers'] | ApiRequest['headers'],
): Record<string, string | readonly string[]> {
  const named = namedByConnection(headers['connection']);
  const entries = Object.entries(headers).filter(
    ([name, value]) =>
      value !== undefined && !OF_CONNECTION.has(name) && !named.has(name) && !name.startsWith(':'),
  );
  return Object.fromEntries(entries) as Record<string, string | readonly string[]>;
}

function namedByConnection(connection: string | readonly string[] | undefined): ReadonlySet<string> {
  const text = typeof connection === 'string' ? connection : (connection ?? []).join(',');
  return new Set(text.split(',').map((name) => name.trim().toLowerCase()));
}

/** Ends where the connection breaks: the beginning of the response has been forwarded by then. */
async function* chunks(response: http.IncomingMessage): AsyncIterableIterator<Uint8Array> {
  try {
    yield* response as AsyncIterable<Uint8Array>;
  } catch {
    // The client sees a truncated response, as it would without a proxy.
  } finally {
    response.destroy();
  }
}

const UNTRUSTED = new Set([
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Common errors with the messages of Go's client. */
function encodeJson(error: Error, { host, port }: Outgoing['address']): Error {
  const code = 'code' in error ? String(error.code) : '';
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (code === 'ECONNREFUSED')
    return localError('ConnectionFailed', `dial tcp ${place}: connect: connection refused`, error);
  if (UNTRUSTED.has(code)) {
    const why = 'x509: certificate signed by unknown authority';
    return localError('ConnectionFailed', `tls: failed to verify certificate: ${why}`, error);
  }
  return error;
}
