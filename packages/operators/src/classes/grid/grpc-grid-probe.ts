import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { onAbort } from '@kubewright/kube';
import protobuf from 'protobufjs';
import { serviceDefinition } from '../deployments/service-definition.ts';
import { dataServiceProto } from './data-service-proto.ts';
import type { GridProbe } from './grid-probe.ts';

type Stats = {
  readonly shards: readonly {
    readonly collection: string;
    readonly partition_id: number;
    readonly shard_id: string;
  }[];
};

/** Calls data grids over gRPC, as their gateway does. Each call has a connection of its own: they are rare. */
export function grpcGridProbe(): GridProbe {
  const { root } = protobuf.parse(dataServiceProto, new protobuf.Root(), { keepCase: true });
  const service = serviceDefinition(root.lookupService('oprc.DataService'));
  const call = async (name: 'Stats' | 'Capabilities', address: string, signal: AbortSignal) => {
    const method = service[name];
    if (method === undefined) throw new TypeError(`DataService has no ${name}`);
    const client = new Client(address, credentials.createInsecure());
    const { path, requestSerialize, responseDeserialize } = method;
    try {
      return await new Promise<unknown>((resolve, reject) => {
        const running = client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          {},
          new Metadata(),
          (error, response) => (error === null ? resolve(response) : reject(error)),
        );
        onAbort(signal, () => running.cancel());
      });
    } finally {
      client.close();
    }
  };
  return {
    async ping(address, signal) {
      await call('Capabilities', address, signal);
    },
    async shards(address, signal) {
      const { shards } = (await call('Stats', address, signal)) as Stats;
      return shards.map(({ collection, partition_id, shard_id }) => ({
        collection,
        partition: partition_id,
        shard: shard_id,
      }));
    },
  };
}
