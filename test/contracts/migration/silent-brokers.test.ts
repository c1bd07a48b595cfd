import { type AddressInfo, createServer, type Socket } from 'node:net';
import { corev1, type KubeObject } from '@kubewright/kube';
import { type AmqpServer, InProcessBroker, serveAmqp } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useOperator } from '../../../packages/operators/src/kit/testing/use-operator.ts';
import { STATEFUL_MIGRATIONS } from '../../../packages/operators/src/migration/api.ts';
import { migrationParts } from '../../../packages/operators/src/migration/controller.ts';
import {
  isReady,
  LOCAL_BROKERS,
  moveCalls,
  PATIENT,
} from '../../../packages/operators/src/migration/testing/migration-calls.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { describeClusters } from '../../servers/describe-clusters.ts';

const SILENT = 50;
const QUEUE = 'orders-0';

/** A server that takes connections, and says nothing. */
class SilentServer {
  readonly connections = new Set<Socket>();
  /** The most that there were at once. */
  most = 0;
  readonly #server = createServer((socket) => {
    this.connections.add(socket);
    this.most = Math.max(this.most, this.connections.size);
    socket.on('error', () => undefined).on('close', () => this.connections.delete(socket));
    socket.resume();
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.connections) socket.destroy();
    this.#server.close();
  }
}

describeClusters(
  'migrations that name a silent broker',
  { controllers: [], nodes: { nodes: 2 } },
  (transport) => {
    const operator = useOperator(transport, migrationParts, { env: LOCAL_BROKERS });
    const silent = new SilentServer();
    let honest: AmqpServer;
    let wire: TcpProxy;

    const at = (url: string) => ({ url, declare: async () => undefined, publish: async () => undefined });
    const create = (name: string, url: string): Promise<void> =>
      moveCalls(() => operator, { queue: QUEUE, broker: () => at(url) })(name, 'source', 'node-2', {
        dryRun: true,
      });
    const migrations = async () =>
      (await operator.admin.list(STATEFUL_MIGRATIONS, { namespace: operator.namespace })).items;

    beforeAll(async () => {
      await silent.open();
      const broker = new InProcessBroker();
      broker.declareExchange('orders', 'direct');
      honest = await serveAmqp(broker);
      wire = await startTcpProxy(honest);
      const source = { name: 'source', namespace: operator.namespace };
      await operator.admin.create<KubeObject>(corev1.pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: source,
        spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'consumer' }] },
      });
      await waitForObject(operator.admin, corev1.pods, source, isReady, PATIENT);
    });
    afterAll(async () => {
      silent.close();
      await wire.close();
      await honest.close();
    });

    test('all have a condition, as an honest one of the same namespace has, and they share a connection', async () => {
      for (let index = 0; index < SILENT; index++)
        await create(`silent-${index}`, `amqp://127.0.0.1:${silent.port}`);
      await create('honest', `amqp://127.0.0.1:${wire.port}`);
      const key = { namespace: operator.namespace, name: 'honest' };
      const isOver = (live: { readonly status?: { readonly phase?: string } } | undefined) =>
        live?.status?.phase === 'Rejected';
      const live = await waitForObject(operator.admin, STATEFUL_MIGRATIONS, key, isOver, PATIENT);
      expect(live?.status?.message).toBe(`queue ${QUEUE} does not exist`);
      const withoutCondition = async () =>
        (await migrations())
          .filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Completed') !== true)
          .map(({ metadata }) => metadata.name);
      await expect.poll(withoutCondition, { timeout: PATIENT.timeoutMs }).toEqual([]);
      // On a busy machine, one that was given up is still being closed when the next one comes.
      expect(silent.most).toBeLessThanOrEqual(2);
    });

    test('each says that its broker is unavailable', async () => {
      const key = { namespace: operator.namespace, name: 'silent-0' };
      const says = ({ status }: KubeObject & { readonly status?: unknown } = {} as KubeObject) =>
        JSON.stringify(status ?? '').includes('BrokerUnavailable');
      const live = await waitForObject(operator.admin, STATEFUL_MIGRATIONS, key, says, PATIENT);
      expect(live?.status).toMatchObject({
        message: expect.stringMatching(/^the broker is unavailable: /),
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'BrokerUnavailable', status: 'True' }),
        ]),
      });
    });

    test('the connection of the honest one ends with it, and that of the others with the last of them', async () => {
      await expect.poll(() => wire.open, { timeout: PATIENT.timeoutMs }).toBe(0);
      for (const { metadata } of await migrations())
        await operator.admin.delete(STATEFUL_MIGRATIONS, {
          namespace: operator.namespace,
          name: metadata.name,
        });
      await expect.poll(() => silent.connections.size, { timeout: PATIENT.timeoutMs }).toBe(0);
      await expect.poll(async () => (await migrations()).length, { timeout: PATIENT.timeoutMs }).toBe(0);
    });
  },
);
