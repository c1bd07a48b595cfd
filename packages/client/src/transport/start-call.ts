import * as http2 from 'node:http2';
import { type ApiRequest, type ApiResponse, errorText, onAbort } from '@kubewright/kube';
import { abortedError, localError } from '../errors/api-error.ts';
import type { Http2Session } from './http2-session.ts';
import { connectionFailed, ResponseBody } from './response-body.ts';

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = http2.constants;

/** The server did not process the call (GOAWAY): a retry is safe, whatever its method. */
export const NOT_PROCESSED: unique symbol = Symbol('the server did not process the call');

/**
 * Makes one call on a stream that the caller has reserved. `onEnd` is called once, when the stream ends; the promise
 * resolves with the response, its body unread, or with {@link NOT_PROCESSED}.
 */
export function startCall(
  session: Http2Session,
  headers: http2.OutgoingHttpHeaders,
  request: ApiRequest,
  onEnd: () => void,
): Promise<ApiResponse | typeof NOT_PROCESSED> {
  const { body, signal } = request;
  const stream = openStream(session, headers, body === undefined);
  if (stream === undefined) {
    onEnd();
    return Promise.resolve(NOT_PROCESSED);
  }
  // Node drops data that arrives before there is a reader; a paused stream keeps it.
  stream.pause();
  if (body !== undefined) stream.end(body);

  return new Promise((resolve, reject) => {
    const cancel = (): void => cancelStream(stream);
    const stopListening = onAbort(signal, () => {
      cancel();
      reject(abortedError(signal));
    });
    const fail = (error: Error): void => {
      if (stream.rstCode === NGHTTP2_REFUSED_STREAM) resolve(NOT_PROCESSED);
      else reject(error);
    };
    let responded = false;
    stream.on('response', (head) => {
      responded = true;
      session.heard();
      const wasCut = (): boolean => stream.rstCode !== NGHTTP2_NO_ERROR;
      resolve(responseOf(head, new ResponseBody({ stream, wasCut, cancel, signal })));
    });
    stream.on('error', (error) => fail(connectionFailed(error)));
    stream.on('close', () => {
      stopListening();
      onEnd();
      // Every stream closes in the end: an error, with its stack, is made only when there was no response.
      if (!responded) fail(localError('ConnectionFailed', 'the connection was closed before the response'));
    });
  });
}

function responseOf(
  head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader,
  body: ResponseBody,
): ApiResponse {
  // Not copied: pseudo-headers stay among the headers, under names that no header may have.
  return { status: head[':status'] ?? 0, headers: head as ApiResponse['headers'], body };
}

function cancelStream(stream: http2.ClientHttp2Stream): void {
  if (!stream.closed) stream.close(NGHTTP2_CANCEL);
}

function openStream(
  session: Http2Session,
  headers: http2.OutgoingHttpHeaders,
  endStream: boolean,
): http2.ClientHttp2Stream | undefined {
  if (!session.open) return undefined;
  try {
    return session.raw.request(headers, { endStream });
  } catch (error) {
    // The session may close between the check and the call. Any other error is the request's fault.
    if (!session.open) return undefined;
    throw localError('InvalidRequest', `the call cannot be sent: ${errorText(error)}`, error);
  }
}
