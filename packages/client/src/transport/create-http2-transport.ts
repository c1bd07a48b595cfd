import type { OutgoingHttpHeaders } from 'node:http2';
import { type ApiRequest, type ApiResponse, systemClock, type Transport } from '@kubewright/kube';
import { abortedError, localError } from '../errors/api-error.ts';
import { type Dialed, dial } from './dial.ts';
import { NOT_PROCESSED, startCall } from './start-call.ts';
import { Http2Pool } from './http2-pool.ts';
import { Http2Session } from './http2-session.ts';
import { requestHeaders } from './request-headers.ts';
import {
  DEFAULT_MAX_CONNECTIONS,
  DEFAULT_PING_AFTER_MS,
  DEFAULT_PING_TIMEOUT_MS,
  type TransportOptions,
} from './transport-options.ts';

/** Attempts at a call that the server did not process. A server that always sends GOAWAY is broken. */
const MAX_REPEATS = 5;

/**
 * HTTP/2: one connection for all calls, a few when its streams run out, a new one when it is lost. Calls in flight on a
 * lost connection fail with `ConnectionFailed`; those that the server did not process (GOAWAY, REFUSED_STREAM) are retried
 * on the next connection.
 *
 * `first` is the connection on which ALPN chose HTTP/2.
 */
export function createHttp2Transport(options: TransportOptions, first?: Dialed): Transport {
  const authority = new URL(options.url).origin;
  const headersOf = requestHeaders(options);
  const keepAlive = {
    clock: options.clock ?? systemClock,
    afterMs: options.pingAfterMs ?? DEFAULT_PING_AFTER_MS,
    timeoutMs: options.pingTimeoutMs ?? DEFAULT_PING_TIMEOUT_MS,
  };
  let ready = first;
  const closing = new AbortController();
  const pool = new Http2Pool(async (onGone) => {
    const kept = ready?.socket.destroyed === true ? undefined : ready;
    ready = undefined;
    const dialed = kept ?? (await dial(options, ['h2'], closing.signal));
    if (dialed.protocol === 'h2') return new Http2Session(authority, dialed.socket, keepAlive, onGone);
    dialed.socket.destroy();
    throw localError('ConnectionFailed', `${options.url} does not speak HTTP/2`);
  }, options.maxConnections ?? DEFAULT_MAX_CONNECTIONS);

  return {
    async request(request) {
      const built = headersOf(request);
      const headers = built instanceof Promise ? await built : built;
      if (request.signal?.aborted === true) throw abortedError(request.signal);
      const response = await callUntilProcessed(pool, headers, request);
      if (response.status === 401) {
        options.authorizer?.reset();
        // A client certificate belongs to its connection: the next connection reads it again.
        if (options.tls !== undefined) pool.retire();
      }
      return response;
    },
    async close() {
      closing.abort();
      ready?.socket.destroy();
      pool.close();
    },
  };
}

async function callUntilProcessed(
  pool: Http2Pool,
  headers: OutgoingHttpHeaders,
  request: ApiRequest,
): Promise<ApiResponse> {
  for (let repeats = 0; repeats <= MAX_REPEATS; repeats++) {
    const acquired = pool.acquire(request.signal);
    const session = acquired instanceof Http2Session ? acquired : await acquired;
    const response = await startCall(session, headers, request, () => pool.release(session));
    if (response !== NOT_PROCESSED) return response;
  }
  throw localError('ConnectionFailed', 'the server closes each connection without a response');
}
