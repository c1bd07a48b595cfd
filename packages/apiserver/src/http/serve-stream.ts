import { constants, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { ApiRequest } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import { peerCertificate } from '../certificates/peer-certificate.ts';
import { isCut, type Reply } from '../request/reply.ts';
import { whenReady } from '../request/steps.ts';
import { SocketRequest } from './socket-request.ts';
import { isStream, lengthIn, pump, type Serve, sizeOf, writeWhole } from './serve.ts';

/** One request of an HTTP/2 connection. */
export function serveStream(serve: Serve, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  // The client going away is its right.
  stream.on('error', () => {});
  const { session } = stream;
  // Node announces a request later than it reads it: its connection may be closed already.
  if (session === undefined || session.destroyed) return;
  const guarded = (work: () => unknown): void =>
    detach(work, (error) => {
      serve.failed(error);
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
  guarded(() => {
    const request = requestOf(stream, session, headers);
    const head = request.method === 'HEAD';
    const hasBody = !stream.endAfterHeaders && request.method !== 'GET' && !head;
    if (hasBody) serve.expectBody(stream, request, lengthIn(headers));
    else stream.resume();
    return whenReady(serve.begin(request), (reply) => {
      if (stream.destroyed) return;
      // As in Go: who still sends a body learns that nobody reads it.
      if (hasBody && !request.isReceived)
        stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR));
      send(stream, reply, head);
    });
  });
}

function requestOf(
  stream: ServerHttp2Stream,
  session: Http2Session,
  headers: IncomingHttpHeaders,
): SocketRequest {
  const method = String(headers[constants.HTTP2_HEADER_METHOD] ?? 'GET') as ApiRequest['method'];
  const path = String(headers[constants.HTTP2_HEADER_PATH] ?? '/');
  const head = { method, path, headers: headers as ApiRequest['headers'] };
  return new SocketRequest(head, stream, peerCertificate(session, session.socket as TLSSocket));
}

function send(stream: ServerHttp2Stream, reply: Reply, head: boolean): void {
  if (stream.destroyed) return;
  if (isCut(reply)) return stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  const { status, headers, body } = reply;
  const fields = { ...headers, [constants.HTTP2_HEADER_STATUS]: status };
  if (isStream(body)) {
    stream.respond(fields as never);
    pump(body, stream);
    return;
  }
  const size = sizeOf(body);
  stream.respond({ ...fields, 'content-length': size }, { endStream: head });
  if (!head) writeWhole(body, size, stream);
}
