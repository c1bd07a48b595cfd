import { type ControllerName, WorkerRuntime } from '@kubewright/cluster';
import { afterAll, beforeAll } from 'vitest';
import { CONSUMER } from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { brokerForLoad, type LoadedBroker } from './broker-for-load.ts';

type Describe = Parameters<typeof describeClusters>;
type Place<B> = { readonly transport: Parameters<Describe[2]>[0]; readonly broker: () => B };

/** What the consumers are, and what they consume from. */
type Load<B> = { readonly consumer: URL; readonly start: () => Promise<B> };

const OURS: Load<LoadedBroker> = {
  consumer: new URL('./consumer.mjs', import.meta.url),
  start: brokerForLoad,
};

/**
 * Registers a contract on clusters of two nodes that run consumers, each with a broker of its own. `npm run test:real` plays more of it
 * than `npm test`.
 */
export function describeWithLoad(
  title: string,
  controllers: readonly ControllerName[],
  contract: (place: Place<LoadedBroker>) => void,
): void {
  describeWith(OURS, { title, controllers, contract, longer: true });
}

type Suite<B> = {
  readonly title: string;
  readonly controllers: readonly ControllerName[];
  readonly contract: (place: Place<B>) => void;
  /** See `describeClusters`. */
  readonly longer?: boolean;
};

/** The same for other consumers, or another broker. */
export function describeWith<B extends LoadedBroker>(
  { consumer, start }: Load<B>,
  { title, controllers, contract, longer = false }: Suite<B>,
): void {
  const workers = new WorkerRuntime({ images: { [CONSUMER]: consumer } });
  afterAll(() => workers.close());
  describeClusters(title, { controllers, nodes: { nodes: 2, runtimes: [workers] }, longer }, (transport) => {
    let broker: B;
    beforeAll(async () => {
      broker = await start();
    });
    afterAll(() => broker.close());
    contract({ transport, broker: () => broker });
  });
}
