import { appsv1, corev1, errorText, type KubeObject } from '@kubewright/kube';
import { systemClock } from '@kubewright/client';
import { STATEFUL_MIGRATIONS } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { isTerminal } from '../../../packages/operators/src/migration/api.ts';
import { serveAmqp } from '../../../packages/operators/src/migration/brokers/amqp/serve-amqp.ts';
import { InProcessBroker } from '../../../packages/operators/src/migration/brokers/in-process/in-process-broker.ts';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';
import {
  consumerSet,
  EXCHANGE,
  NAMESPACE,
  QUEUE,
} from '../../../packages/operators/src/migration/demo/consumer-set.ts';
import type { Totals } from '../../../packages/operators/src/migration/demo/consumer.ts';
import { startLoad } from '../../../packages/operators/src/migration/demo/start-load.ts';
import type { Installation } from '../installation.ts';
import { keepTrying } from './keep-trying.ts';
import type { Work } from './work.ts';

const POD = { namespace: NAMESPACE, name: 'consumer-0' };
const PER_SECOND = 20;
const PATIENT = { timeoutMs: 120_000 };

/** The pod of a StatefulSet moves to the other node whenever it has come to rest, while messages come in. */
export async function migrationWork({ client, namespace }: Installation): Promise<Work> {
  const broker = new InProcessBroker();
  broker.declareExchange(EXCHANGE, 'direct');
  broker.declareQueue(QUEUE);
  broker.bind(EXCHANGE, { queue: QUEUE, routingKey: QUEUE });
  const server = await serveAmqp(broker);
  const load = startLoad({
    producer: 'shop',
    perSecond: PER_SECOND,
    publish: async (message) => void broker.publish(EXCHANGE, QUEUE, rawMessage(message)),
    clock: systemClock,
  });
  const moves: string[] = [];
  let published: number | undefined;

  async function isResting(): Promise<boolean> {
    const last = moves.at(-1);
    if (last === undefined) return true;
    const { status } = await client.get(STATEFUL_MIGRATIONS, { namespace: NAMESPACE, name: last });
    return status !== undefined && isTerminal(status);
  }

  async function move(round: number): Promise<void> {
    const { spec } = await client.get(corev1.pods, POD);
    const name = `move-${round}`;
    await client.create<KubeObject>(STATEFUL_MIGRATIONS, {
      apiVersion: 'migration.ms2m.io/v1alpha1',
      kind: 'StatefulMigration',
      metadata: { namespace: NAMESPACE, name },
      spec: {
        sourcePod: POD.name,
        targetNode: spec.nodeName === 'node-1' ? 'node-2' : 'node-1',
        messageQueueConfig: {
          queueName: QUEUE,
          exchangeName: EXCHANGE,
          routingKey: QUEUE,
          brokerUrl: server.url,
        },
      },
    });
    moves.push(name);
  }

  async function totals(): Promise<Totals | undefined> {
    const lines = (await client.podLog(POD)).trimEnd().split('\n');
    return JSON.parse(lines.at(-1) ?? 'null') as Totals | undefined;
  }

  async function faultOf(name: string): Promise<string | undefined> {
    const { status } = await client.get(STATEFUL_MIGRATIONS, { namespace: NAMESPACE, name });
    return status?.phase === 'Completed'
      ? undefined
      : `migration: ${name} is ${status?.phase}: ${status?.message}`;
  }

  return {
    name: 'migration',
    async prepare() {
      await namespace(NAMESPACE);
      await client.create(appsv1.statefulsets, consumerSet(server.url));
      const isReady = (pod?: corev1.Pod): boolean =>
        pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
      await waitForObject(client, corev1.pods, POD, isReady, PATIENT);
    },
    begin: (round) =>
      keepTrying(async () => {
        if (await isResting()) await move(round);
      }),
    async faults() {
      const faults = (await Promise.all(moves.map(faultOf))).filter((fault) => fault !== undefined);
      if (faults.length > 0) return faults;
      published ??= await load.stop();
      const found = await totals().catch((error: unknown) => errorText(error));
      const isExact =
        typeof found === 'object' &&
        found.applied === published &&
        found.last === published &&
        found.missing === 0 &&
        found.double === 0;
      return isExact ? [] : [`migration: of ${published} messages ${JSON.stringify(found)}`];
    },
    async close() {
      await load.stop();
      await server.close();
    },
  };
}
