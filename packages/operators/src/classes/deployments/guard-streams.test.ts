import { EventEmitter } from 'node:events';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { guardStreams } from './guard-streams.ts';

class Stream extends EventEmitter {
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
  }
}

test('a gRPC server sees no stream that is gone, and one whose handler throws ends alone', () => {
  const server = new EventEmitter();
  const seen: Stream[] = [];
  server.on('stream', (stream: Stream) => {
    seen.push(stream);
    throw new TypeError('it has ended');
  });
  const failures: unknown[] = [];
  guardStreams({ http2Servers: new Map([[server, {}]]) }, (error) => failures.push(error));
  const [gone, open] = [new Stream(), new Stream()];
  gone.destroy();
  for (const stream of [gone, open]) server.emit('stream', stream, {});
  expect(seen).toEqual([open]);
  expect(open.destroyed).toBe(true);
  expect(failures).toEqual([new TypeError('it has ended')]);
});

test('this version of the library has what is guarded, and one that has not is an error', () => {
  const grpc = new Server();
  expect(() => guardStreams(grpc, () => undefined)).toThrow('cannot be guarded');
  grpc.createConnectionInjector(ServerCredentials.createInsecure());
  expect(() => guardStreams(grpc, () => undefined)).not.toThrow();
});
