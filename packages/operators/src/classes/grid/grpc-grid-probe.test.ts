import { Server, ServerCredentials } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { afterEach, expect, test } from 'vitest';
import { serviceDefinition } from '../deployments/service-definition.ts';
import { dataServiceProto } from './data-service-proto.ts';
import { grpcGridProbe } from './grpc-grid-probe.ts';

const { root } = protobuf.parse(dataServiceProto, new protobuf.Root(), { keepCase: true });
const { signal } = new AbortController();
let server: Server | undefined;

afterEach(() => server?.forceShutdown());

/** A data grid with these shards; the address that it listens on. */
async function serve(shards: readonly object[]): Promise<string> {
  server = new Server();
  server.addService(serviceDefinition(root.lookupService('oprc.DataService')), {
    Stats: (_call: unknown, done: (error: null, response: object) => void) => done(null, { shards }),
    Capabilities: (_call: unknown, done: (error: null, response: object) => void) => done(null, {}),
  });
  const bind = (resolve: (port: number) => void, reject: (error: Error) => void): void =>
    server?.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  return `127.0.0.1:${await new Promise<number>(bind)}`;
}

test('a data grid responds, and lists its shards with their whole ids', async () => {
  const address = await serve([
    { collection: 'c', partition_id: 3, shard_id: '18446744073709551615', count: '7' },
  ]);
  await grpcGridProbe().ping(address, signal);
  expect(await grpcGridProbe().shards(address, signal)).toEqual([
    { collection: 'c', partition: 3, shard: '18446744073709551615' },
  ]);
});

test('where nothing listens, the call fails; it ends with its signal', async () => {
  const address = await serve([]);
  server?.forceShutdown();
  await expect(grpcGridProbe().ping(address, signal)).rejects.toThrow();
  await expect(grpcGridProbe().ping(address, AbortSignal.abort())).rejects.toThrow();
});
