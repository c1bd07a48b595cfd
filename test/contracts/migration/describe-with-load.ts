import { type ControllerName, WorkerRuntime } from '@kubewright/cluster';
import { afterAll, beforeAll } from 'vitest';
import { CONSUMER } from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { brokerForLoad, type LoadedBroker } from './broker-for-load.ts';

type Describe = Parameters<typeof describeClusters>;
type Place = { readonly transport: Parameters<Describe[2]>[0]; readonly broker: () => LoadedBroker };

/** Registers a contract on clusters of two nodes that run consumers, each with a broker of its own. */
export function describeWithLoad(
  title: string,
  controllers: readonly ControllerName[],
  contract: (place: Place) => void,
): void {
  const images = { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) };
  const workers = new WorkerRuntime({ images });
  afterAll(() => workers.close());
  describeClusters(title, { controllers, nodes: { nodes: 2, runtimes: [workers] } }, (transport) => {
    let broker: LoadedBroker;
    beforeAll(async () => {
      broker = await brokerForLoad();
    });
    afterAll(() => broker.close());
    contract({ transport, broker: () => broker });
  });
}
