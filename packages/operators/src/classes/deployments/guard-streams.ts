import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { detach } from '@kubewright/kube/serving';
import { OperatorError } from '../../operator-error.ts';

type OnStream = (this: Http2Server, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/**
 * Has the HTTP/2 servers of a gRPC server see only streams that are still open, and ends a stream whose handler throws.
 * @grpc/grpc-js responds to some requests at once; where their connection has been closed before node announces them, that
 * throws outside every handler. It has no public way to its servers: one that has none any more is an error.
 */
export function guardStreams(grpc: object, failed: (error: unknown) => void): void {
  const servers: unknown = Reflect.get(grpc, 'http2Servers');
  if (!(servers instanceof Map) || servers.size === 0)
    throw new OperatorError('Usage', 'this version of @grpc/grpc-js cannot be guarded');
  for (const server of (servers as Map<Http2Server, unknown>).keys()) guard(server, failed);
}

function guard(server: Http2Server, failed: (error: unknown) => void): void {
  const listeners = server.listeners('stream') as OnStream[];
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (stream.destroyed) return;
    const end = (error: unknown): void => {
      failed(error);
      stream.destroy();
    };
    for (const listener of listeners) detach(() => listener.call(server, stream, headers), end);
  });
}
