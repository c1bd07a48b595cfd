import { on } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { localError } from '@kubewright/client';
import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';

async function* chunks(
  stream: ClientHttp2Stream,
  what: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    // The stream's own iterator drops what was complete before it began, on newer versions of Node.js.
    const events = on(stream, 'data', { close: ['end', 'close'], highWaterMark: 1, lowWaterMark: 1 });
    stream.resume();
    for await (const [chunk] of events) yield chunk as Uint8Array;
  } catch (error) {
    if (signal?.aborted !== true) throw localError('ConnectionFailed', `${what} broke off`, error);
  } finally {
    // A reset of a stream that has ended is noise, and servers count resets.
    if (!stream.readableEnded) stream.close();
  }
}

function answer(
  session: ClientHttp2Session,
  request: ApiRequest,
  server: { readonly url: string; readonly token: string },
): Promise<ApiResponse> {
  const { url, token } = server;
  const what = `${request.method} ${url}${request.path}`;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...request.headers } as Record<string, string>;
    const stream = session.request(
      { ':method': request.method, ':path': request.path, ...headers },
      // Node ends the stream of a DELETE by itself, but a DELETE may have a body.
      { endStream: false, ...(request.signal === undefined ? {} : { signal: request.signal }) },
    );
    // Node drops data that arrives before there is a reader; a paused stream keeps it.
    stream.pause();
    stream.once('response', ({ ':status': status, ...rest }) => {
      const received = rest as Record<string, string>;
      resolve({ status: status ?? 0, headers: received, body: chunks(stream, what, request.signal) });
    });
    stream.on('error', (cause) => reject(localError('ConnectionFailed', `${what} failed`, cause)));
    stream.end(request.body);
  });
}

/**
 * The least that calls an API server over HTTP/2: one connection, no retries. The harness has its own, so that a fault
 * of our client cannot hide a fault of our server.
 */
export function http2Transport(url: string, ca: string, token: string): Transport {
  let session: ClientHttp2Session | undefined;
  const open = (): ClientHttp2Session => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(url, { ca, maxSessionMemory: 1024, settings: { initialWindowSize: 1 << 20 } });
      // An error also ends every stream, and there it is reported.
      session.on('error', () => undefined);
    }
    return session;
  };
  return {
    request: (request) => answer(open(), request, { url, token }),
    async close() {
      session?.destroy();
    },
  };
}
