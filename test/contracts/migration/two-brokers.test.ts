import { WorkerRuntime } from '@kubewright/cluster';
import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useOperator } from '../../../packages/operators/src/kit/testing/use-operator.ts';
import { migrationParts } from '../../../packages/operators/src/migration/controller.ts';
import { rawMessage } from '../../../packages/operators/src/migration/brokers/in-process/raw-message.ts';
import { checkApplied } from '../../../packages/operators/src/migration/testing/check-applied.ts';
import {
  appliedBy,
  CONSUMER,
  consumerTemplate,
  isReady,
  moveCalls,
  PATIENT,
  PATIENT_POLL,
  reached,
  LOCAL_BROKERS,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';

const workers = new WorkerRuntime({ images: { [CONSUMER]: new URL('./consumer.mjs', import.meta.url) } });
const controllers = ['garbage-collector-controller'] as const;
const ENDS = ['Completed', 'Failed', 'Rejected', 'Aborted'];
const MESSAGES = 30;
const WHOLE = { missing: [], double: [], disordered: [] };

/** A broker, and a pod that consumes a queue of it. */
class Place {
  readonly name: string;
  readonly core = new InProcessBroker();
  server: AmqpServer | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get url(): string {
    return this.server?.url ?? '';
  }

  async open(): Promise<void> {
    this.server = await serveAmqp(this.core);
    this.core.declareExchange('orders', 'direct');
    for (const queue of [this.name, `${this.name}.gate`]) {
      this.core.declareQueue(queue);
      this.core.bind('orders', { queue, routingKey: queue });
    }
  }

  publish(body: object | string, queue: string = this.name): void {
    this.core.publish('orders', queue, rawMessage({ body }));
  }

  publishAll(): void {
    for (let seq = 1; seq <= MESSAGES; seq++) this.publish({ producer: 'till', seq });
  }
}

afterAll(() => workers.close());

describeClusters(
  'migrations with a broker each',
  { controllers, nodes: { nodes: 2, runtimes: [workers] } },
  (transport) => {
    const operator = useOperator(transport, migrationParts, { env: LOCAL_BROKERS });
    const [first, second] = [new Place('first'), new Place('second')];
    const sources = new Map<Place, Stored<corev1.Pod>>();

    const podReady = async (name: string): Promise<Stored<corev1.Pod>> => {
      const key = { namespace: operator.namespace, name };
      const pod = await waitForObject(operator.admin, corev1.pods, key, isReady, PATIENT);
      if (pod === undefined) throw new TypeError(`pod ${name} is gone`);
      return pod;
    };
    const move = async (place: Place): Promise<void> => {
      const node = sources.get(place)?.spec.nodeName === 'node-1' ? 'node-2' : 'node-1';
      const broker = { url: place.url, declare: async () => undefined, publish: async () => undefined };
      const create = moveCalls(() => operator, { queue: place.name, broker: () => broker });
      await create(place.name, place.name, node);
    };
    const expectWhole = async (place: Place): Promise<void> => {
      const key = { namespace: operator.namespace, name: `${place.name}-shadow` };
      const published = new Map([['till', MESSAGES]]);
      const verdict = async () => checkApplied(await appliedBy(transport(), key), published);
      await expect.poll(verdict, PATIENT_POLL).toEqual(WHOLE);
    };

    beforeAll(async () => {
      for (const place of [first, second]) {
        await place.open();
        const { metadata, spec } = consumerTemplate(place.name, { queue: place.name, url: place.url });
        await operator.admin.create<KubeObject>(corev1.pods, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { ...metadata, name: place.name, namespace: operator.namespace },
          spec: { ...spec, terminationGracePeriodSeconds: 1 },
        });
        sources.set(place, await podReady(place.name));
      }
    });
    afterAll(async () => {
      for (const { server } of [first, second]) await server?.close();
    });

    test('MIG-16 the first is finished while the second stands at its barrier', async () => {
      second.publish({ producer: 'gate', seq: 1, gate: 'second.gate' });
      first.publishAll();
      await Promise.all([move(first), move(second)]);
      const { status } = await reached(operator, 'first', ENDS);
      expect(status?.phase, status?.message).toBe('Completed');
      await expectWhole(first);
      const other = await reached(operator, 'second', ['Checkpointing']);
      expect(other.status?.step).toBe('Barrier');
    });

    test('MIG-16 its broker goes, and the second is finished too, with all messages', async () => {
      await first.server?.close();
      second.publishAll();
      second.publish('open', 'second.gate');
      const { status } = await reached(operator, 'second', ENDS);
      expect(status?.phase, status?.message).toBe('Completed');
      await expectWhole(second);
    });
  },
);
