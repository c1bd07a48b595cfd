import { inspect } from 'node:util';
import { jetstreamBrokers } from '@kubewright/operators';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migratableContract } from '../../../packages/migratable/src/migratable.contract.ts';
import { brokerContract } from '../../../packages/operators/src/migration/brokers/broker.contract.ts';
import { type NatsRelease, type NatsServer, startNats, whyNoNats } from '../../servers/nats.ts';
import {
  APPLICATION,
  CLEARED,
  JETSTREAM,
  jetstreamUnderTest,
  PERMISSIONS,
  READER,
} from './jetstream-under-test.ts';
import { freePort } from '../../support/free-port.ts';
import { deniedContract } from './denied.contract.ts';
import { messagesUnderTest } from './messages-under-test.ts';

/** Registers all that a migration relies on at a server of NATS. */
export function describeJetStream(title: string, release: NatsRelease): void {
  const why = whyNoNats(release);
  describe.skipIf(why !== undefined)(why === undefined ? title : `${title} [${why}]`, () => {
    let server: NatsServer;
    let under: Awaited<ReturnType<typeof jetstreamUnderTest>>;
    beforeAll(async () => {
      server = await startNats(PERMISSIONS, release);
      console.log(`${title}: ${await server.version()}, port ${server.port} of the loopback`);
      under = await jetstreamUnderTest(server);
    });
    afterAll(async () => {
      await under.close();
      await server.stop();
    });

    brokerContract(() => under, JETSTREAM);
    migratableContract(() => messagesUnderTest(under));

    test.each([
      ['wrong credentials', /Authorization Violation/i, () => server.port, 'wrong'],
      ['a server that is not there', /refused/, freePort, APPLICATION.password],
    ])('%s are an error that names neither user nor password', async (_what, message, port, password) => {
      const brokers = jetstreamBrokers();
      const credentials = { username: 'somebody', password };
      const asked = brokers.at({ url: `nats://127.0.0.1:${await port()}`, credentials }).queue('any');
      const error = await asked.catch((reason: Error) => reason);
      expect(error).toMatchObject({
        code: 'Unavailable',
        message: expect.stringMatching(message) as string,
      });
      expect(inspect(error, { depth: 9 })).not.toMatch(/wrong|a-secret|somebody/);
      await brokers.close();
    });

    test('what the account may not do is rejected, and says so', async () => {
      const brokers = jetstreamBrokers();
      const reader = brokers.at({ url: `nats://127.0.0.1:${server.port}`, credentials: READER });
      await under.broker.declareQueue('theirs');
      expect(await reader.queue('theirs')).toEqual({ ready: 0, consumers: 0 });
      const message = expect.stringMatching(/permissions violation/i) as string;
      await expect(reader.declareQueue('ours')).rejects.toMatchObject({ code: 'Forbidden', message });
      expect(await reader.queue('theirs')).toEqual({ ready: 0, consumers: 0 });
      await brokers.close();
    });

    deniedContract(() => ({
      brokers: jetstreamBrokers(),
      url: `nats://${APPLICATION.username}:${APPLICATION.password}@127.0.0.1:${server.port}`,
      forbid: async (isForbidden) => server.reload(isForbidden ? CLEARED : PERMISSIONS),
    }));

    test('MIG-15: a queue that was deleted stays so after the server was killed and started again', async () => {
      const { broker, messages } = under;
      const { signal } = new AbortController();
      // With a record beside it, NATS 2.15 has the last but one of the other again, when that was purged and the server is killed.
      await broker.declareQueue('beside');
      await broker.declareQueue('deleted', { expiresMs: 3_600_000 });
      for (let seq = 1; seq <= 3; seq++) await broker.send('deleted', { body: { seq } });
      // Each of them writes the record once more.
      let taken = 0;
      for await (const { ack } of messages.consume('deleted', { prefetch: 1, signal })) {
        ack();
        taken += 1;
        if (taken === 3) break;
      }
      await broker.deleteQueue('deleted');
      expect(await broker.queue('deleted')).toBeUndefined();
      await server.restart();
      await expect.poll(() => broker.queue('deleted').catch(() => 'away')).not.toBe('away');
      expect(await broker.queue('deleted')).toBeUndefined();
      expect(await broker.send('deleted', { body: 4 })).toBe('unroutable');
      await broker.declareQueue('deleted', { maxLength: 5 });
      expect(await broker.queue('deleted')).toEqual({ ready: 0, consumers: 0 });
    });

    test('MIG-15: what was confirmed is there after the server was killed and started again', async () => {
      const { broker } = under;
      await broker.declareQueue('durable');
      for (let seq = 1; seq <= 20; seq++) await broker.send('durable', { body: { seq } });
      await server.restart();
      await expect
        .poll(() => broker.queue('durable').catch(() => 'away'))
        .toEqual({ ready: 20, consumers: 0 });
      await expect.poll(() => broker.peek('durable')).toMatchObject({ body: { seq: 1 } });
    });
  });
}
