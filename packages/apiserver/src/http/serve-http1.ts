import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ApiRequest } from '@kubewright/kube';
import { peerCertificate } from '../certificates/peer-certificate.ts';
import { isCut, type Reply } from '../request/reply.ts';
import { whenReady } from '../request/steps.ts';
import { SocketRequest } from './socket-request.ts';
import { collectBody, isStream, pump, type Serve, sizeOf, writeWhole } from './serve.ts';

/** One request of an HTTP/1.1 connection. */
export function serveHttp1(serve: Serve, message: IncomingMessage, response: ServerResponse): void {
  response.on('error', () => {});
  message.on('error', () => {});
  const request = requestOf(message, response);
  const respond = serve(request);
  if (typeof respond !== 'function') {
    message.resume();
    send(response, respond, false);
    return;
  }
  collectBody(message, (body) => {
    if (response.destroyed) return;
    const head = request.method === 'HEAD';
    void whenReady(respond(body), (reply) => send(response, reply, head));
  });
}

function requestOf(message: IncomingMessage, response: ServerResponse): SocketRequest {
  const method = (message.method ?? 'GET') as ApiRequest['method'];
  const head = { method, path: message.url ?? '/', headers: message.headers as ApiRequest['headers'] };
  const socket = message.socket as TLSSocket;
  return new SocketRequest(head, response, peerCertificate(socket, socket));
}

function send(response: ServerResponse, reply: Reply, head: boolean): void {
  if (response.destroyed) return;
  if (isCut(reply)) return void response.destroy();
  const { status, headers, body } = reply;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  if (isStream(body)) {
    response.flushHeaders();
    void pump(body, response);
    return;
  }
  const size = sizeOf(body);
  response.setHeader('content-length', size);
  if (head) response.end();
  else writeWhole(body, size, response);
}
