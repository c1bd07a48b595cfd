import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { type ApiRequest, systemClock } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import { peerCertificate } from '../certificates/peer-certificate.ts';
import { isCut, type Reply } from '../request/reply.ts';
import { whenReady } from '../request/steps.ts';
import { SocketRequest } from './socket-request.ts';
import { isStream, lengthIn, pump, type Serve, sizeOf, writeWhole } from './serve.ts';

/** Bytes that are read although nobody wants them, and how long a response has until its connection is closed: both as in Go. */
const MAX_DRAINED = 256 * 1024;
const LINGER_MS = 500;
const EMPTY = new Uint8Array(0);

/** One request of an HTTP/1.1 connection. */
export function serveHttp1(serve: Serve, message: IncomingMessage, response: ServerResponse): void {
  const guarded = (work: () => unknown): void =>
    detach(work, (error) => {
      serve.failed(error);
      response.destroy();
    });
  guarded(() => {
    const request = requestOf(message, response);
    const head = request.method === 'HEAD';
    const announced = announcedBy(message.headers);
    if (announced === 0) message.resume();
    else serve.expectBody(message, request, lengthIn(message.headers));
    return whenReady(serve.begin(request), (reply) => {
      if (response.destroyed) return;
      if (request.isReceived || announced === 0) return send(response, reply, head);
      if (announced > MAX_DRAINED && !isCut(reply)) return rejectUnread(message, response, reply);
      message.resume();
      return send(response, reply, head);
    });
  });
}

function announcedBy(headers: IncomingHttpHeaders): number {
  return headers['transfer-encoding'] === undefined ? (lengthIn(headers) ?? 0) : Number.POSITIVE_INFINITY;
}

/**
 * Responds without reading the body, which costs its sender the connection, unless it is small. As in Go, that is closed some
 * time after the response, which would be lost with it otherwise.
 */
function rejectUnread(message: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const body = isStream(reply.body) ? EMPTY : Buffer.concat(reply.body);
  const headers = { ...reply.headers, connection: 'close', 'content-length': body.length };
  // Node would close the connection at the end of the response. This one is complete by its length.
  response.writeHead(reply.status, headers as OutgoingHttpHeaders).write(body);
  systemClock.after(LINGER_MS, () => message.destroy(), { background: true });
}

function requestOf(message: IncomingMessage, response: ServerResponse): SocketRequest {
  const method = (message.method ?? 'GET') as ApiRequest['method'];
  const head = { method, path: message.url ?? '/', headers: message.headers as ApiRequest['headers'] };
  const socket = message.socket as TLSSocket;
  return new SocketRequest(head, response, peerCertificate(socket, socket));
}

function send(response: ServerResponse, reply: Reply, head: boolean): void {
  if (response.destroyed) return;
  if (isCut(reply)) {
    response.destroy();
    return;
  }
  const { status, headers, body } = reply;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  if (isStream(body)) {
    response.flushHeaders();
    pump(body, response);
    return;
  }
  const size = sizeOf(body);
  response.setHeader('content-length', size);
  if (head) response.end();
  else writeWhole(body, size, response);
}
