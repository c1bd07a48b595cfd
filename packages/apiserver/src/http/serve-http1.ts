import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ApiRequest } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import { peerCertificate } from '../certificates/peer-certificate.ts';
import { isCut, type Reply } from '../request/reply.ts';
import { whenReady } from '../request/steps.ts';
import { SocketRequest } from './socket-request.ts';
import { isStream, lengthIn, pump, type Serve, sizeOf, writeWhole } from './serve.ts';

/** One request of an HTTP/1.1 connection. */
export function serveHttp1(serve: Serve, message: IncomingMessage, response: ServerResponse): void {
  const guarded = (work: () => unknown): void =>
    detach(work, (error) => {
      serve.failed(error);
      response.destroy();
    });
  guarded(() => {
    const request = requestOf(message, response);
    const respond = serve.begin(request);
    if (typeof respond !== 'function') {
      message.resume();
      return send(response, respond, false);
    }
    const head = request.method === 'HEAD';
    return serve.bodies.read(message, {
      peer: request.source ?? '',
      announced: lengthIn(message.headers),
      exchange: response,
      done: (body) =>
        guarded(() => {
          if (!response.destroyed) return whenReady(respond(body), (reply) => send(response, reply, head));
        }),
    });
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
