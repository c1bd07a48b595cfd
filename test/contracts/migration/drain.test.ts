import { execFile } from 'node:child_process';
import { WorkerRuntime } from '@kubewright/cluster';
import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { afterAll, beforeAll } from 'vitest';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';
import {
  type Drain,
  DRAINS,
  evictionsContract,
} from '../../../packages/operators/src/migration/evictions.contract.ts';
import {
  type BrokerForLoad,
  CONSUMER,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { findKubectl } from '../../../tools/assets/find.mjs';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { fewUnlessReal } from '../../servers/real-side.ts';

const kubectl = findKubectl();
const workers = new WorkerRuntime({ images: { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) } });
const controllers = [
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'disruption-controller',
  'garbage-collector-controller',
] as const;

afterAll(() => workers.close());

describeClusters(
  'operator migration: drains',
  { controllers, nodes: { nodes: 2, runtimes: [workers] }, kubectl: true, longer: true },
  (transport, _nodes, kubeconfigPath) => {
    const broker = new InProcessBroker();
    let server: AmqpServer;
    beforeAll(async () => {
      broker.declareExchange('orders', 'direct');
      server = await serveAmqp(broker);
    });
    afterAll(() => server.close());
    const forLoad = (): BrokerForLoad => ({
      url: server.url,
      async declare(queue) {
        broker.declareQueue(queue);
        broker.bind('orders', { queue, routingKey: queue });
      },
      async publish(queue, message) {
        broker.publish('orders', queue, rawMessage(message));
      },
    });
    const drain: Drain = (node) =>
      new Promise((resolve) => {
        const args = ['--kubeconfig', kubeconfigPath(), 'drain', node, '--force', '--timeout=240s'];
        const child = execFile(kubectl ?? '', args, (_error, out, err) =>
          resolve({ code: child.exitCode ?? -1, text: out + err }),
        );
      });
    evictionsContract(
      { transport, broker: forLoad, ...(kubectl !== undefined && { drain }) },
      fewUnlessReal(1, DRAINS),
    );
  },
);
