import { type IncomingMessage, STATUS_CODES, validateHeaderValue } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ApiRequest } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import { badRequest, unauthorized } from '../../api-server-error.ts';
import { peerCertificate } from '../../certificates/peer-certificate.ts';
import { isCut, type Reply, statusReply } from '../../request/reply.ts';
import { requestInfo } from '../../request/request-info.ts';
import { whenReady } from '../../request/steps.ts';
import { isStream, lengthIn, pump, type Serve, type Sink, sizeOf, writeWhole } from '../serve.ts';
import { SocketRequest } from '../socket-request.ts';
import { handshakeOf, protocolsOf, wantsWebSocket } from './handshake.ts';
import { type ShownProtocols, tokenInProtocols } from './token-in-protocols.ts';
import { webSocket } from './web-socket.ts';

/**
 * A request of HTTP/1.1 with `Upgrade`. A watch becomes a WebSocket if that is what the client wants; all else gets the response that
 * it would get without, and its connection ends.
 */
export function serveUpgrade(
  serve: Serve,
  message: IncomingMessage,
  socket: TLSSocket,
  first: Uint8Array,
): void {
  socket.on('error', () => socket.destroy());
  const guarded = (work: () => unknown): void =>
    detach(work, (error) => {
      serve.failed(error);
      socket.destroy();
    });
  guarded(() => {
    const shown = tokenInProtocols(wantsWebSocket(message.headers) ? protocolsOf(message.headers) : []);
    const request = requestOf(message, socket, shown);
    return whenReady(replyTo(serve, request, shown), (reply) => {
      if (socket.destroyed) return dropped(reply);
      const isWatch = requestInfo(request)?.verb === 'watch' && reply.status === 200 && isStream(reply.body);
      if (isWatch && wantsWebSocket(message.headers)) return upgrade(message, socket, first, reply, shown);
      return respond(socket, reply, request.method === 'HEAD');
    });
  });
}

function replyTo(serve: Serve, request: SocketRequest, { isWrong }: ShownProtocols): Reply | Promise<Reply> {
  if (isWrong) return statusReply(unauthorized().status);
  const { headers } = request;
  if ((lengthIn(headers) ?? 0) > 0 || headers['transfer-encoding'] !== undefined)
    return statusReply(badRequest('a request with Upgrade must not have a body').status);
  return serve.begin(request);
}

function requestOf(message: IncomingMessage, socket: TLSSocket, { token }: ShownProtocols): SocketRequest {
  const method = (message.method ?? 'GET') as ApiRequest['method'];
  const own = message.headers as ApiRequest['headers'];
  const headers = token === undefined ? own : { authorization: `Bearer ${token}`, ...own };
  const connection = {
    once: (event: 'close', listener: () => void) => socket.once(event, listener),
    get destroyed() {
      return socket.destroyed;
    },
    socket,
  };
  return new SocketRequest(
    { method, path: message.url ?? '/', headers },
    connection,
    peerCertificate(socket, socket),
  );
}

function upgrade(
  message: IncomingMessage,
  socket: TLSSocket,
  first: Uint8Array,
  reply: Reply,
  { protocols }: ShownProtocols,
): void {
  const { status, headers, text } = handshakeOf(message.headers, protocols);
  if (status !== 101) {
    dropped(reply);
    respond(socket, { status, headers, body: [Buffer.from(text)] }, false);
    return;
  }
  socket.write(headOf(status, headers));
  if (isStream(reply.body)) pump(reply.body, webSocket(socket, first));
}

/** A stream that nobody reads ends. */
function dropped({ body }: Reply): void {
  if (!isStream(body)) return;
  detach(
    () => body.return?.(),
    () => undefined,
  );
}

function respond(socket: TLSSocket, reply: Reply, isHead: boolean): void {
  if (isCut(reply)) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = reply;
  const all = { ...headers, connection: 'close' };
  // What the client sends from now on is of no use.
  socket.resume();
  if (isStream(body)) {
    socket.write(headOf(status, all));
    pump(body, sinkOf(socket));
    return;
  }
  const size = sizeOf(body);
  socket.write(headOf(status, { ...all, 'content-length': String(size) }));
  if (isHead) socket.destroySoon();
  else writeWhole(body, size, sinkOf(socket));
}

/** The connection ends behind what is written. */
function sinkOf(socket: TLSSocket): Sink {
  return {
    get destroyed() {
      return socket.destroyed;
    },
    once: (event, listener) => socket.once(event, listener),
    destroy: (error) => socket.destroy(error),
    write: (chunk, written) => socket.write(chunk, written),
    end(chunk) {
      if (chunk !== undefined) socket.write(chunk);
      socket.destroySoon();
    },
  };
}

function headOf(status: number, headers: Reply['headers']): string {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => {
      validateHeaderValue(name, value);
      return `${name}: ${value}\r\n`;
    }),
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
}
