import { connectJetStream, type JetStreamConnection } from '@kubewright/migratable/jetstream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Nats, NatsLink } from '../../../packages/migratable/src/jetstream/nats-link.ts';
import { MESSAGES, QUEUES } from '../../../packages/migratable/src/jetstream/record-subject.ts';
import { whyNoNats } from '../../servers/nats.ts';
import { type NatsCluster, startNatsCluster } from '../../servers/nats-cluster.ts';

describe.each(['host', 'pinned'] as const)('a cluster of three servers of NATS, %s', (release) => {
  const why = whyNoNats(release);
  describe.skipIf(why !== undefined)(why === undefined ? 'with JetStream' : `with JetStream [${why}]`, () => {
    let cluster: NatsCluster;
    let admin: NatsLink;
    let messages: JetStreamConnection;
    const away = (): string => 'away';
    const stream = (name: string): ReturnType<Nats['streams']['info']> =>
      admin.use(({ streams }) => streams.info(name));

    beforeAll(async () => {
      cluster = await startNatsCluster(release);
      console.log(`${await cluster.version()}, port ${cluster.port} of the loopback`);
      admin = new NatsLink({ servers: `127.0.0.1:${cluster.port}` });
      messages = connectJetStream({ url: `nats://127.0.0.1:${cluster.port}` });
    });
    afterAll(async () => {
      await Promise.all([messages.close(), admin.close()]);
      await cluster.stop();
    });

    test('what queues are, and what was sent to them, is on all three, also where they have just started', async () => {
      await expect.poll(() => messages.declareQueue('orders').then(() => 'there', away)).toBe('there');
      expect((await stream(QUEUES)).config.num_replicas).toBe(3);
      expect((await stream(MESSAGES)).config.num_replicas).toBe(3);
    });

    test.each([QUEUES, MESSAGES])(
      'MIG-15: what was confirmed is taken, once and in order, while the server that led %s is away',
      async (name) => {
        const queue = `taken-${name}`;
        await messages.declareQueue(queue);
        for (let seq = 1; seq <= 20; seq++) await messages.send(queue, { body: { seq } });
        const { cluster: found } = await stream(name);
        const seen: unknown[] = [];
        await cluster.restart(found?.leader ?? '', async () => {
          await expect.poll(() => messages.queue(queue).catch(away)).toEqual({ ready: 20, consumers: 0 });
          const { signal } = new AbortController();
          for await (const { message, ack } of messages.consume(queue, { prefetch: 5, signal })) {
            seen.push(message.body);
            ack();
            if (seen.length === 20) break;
          }
        });
        expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => ({ seq: index + 1 })));
        await expect.poll(() => messages.queue(queue).catch(away)).toEqual({ ready: 0, consumers: 0 });
      },
    );
  });
});
