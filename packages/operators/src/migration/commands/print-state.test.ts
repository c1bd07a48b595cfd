import { connectAmqp } from '@kubewright/migratable/amqp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AmqpServer, serveAmqp } from '../brokers/amqp/serve-amqp.ts';
import { InProcessBroker } from '../brokers/in-process/in-process-broker.ts';
import { writeSnapshot } from '../../../../migratable/src/read-snapshot.ts';
import { timer } from '../../../../migratable/src/timer.ts';
import type { StatefulMigration } from '../api.ts';
import { migrationOf } from '../testing/migration-bench.ts';
import { printState } from './print-state.ts';

let server: AmqpServer;
beforeAll(async () => {
  server = await serveAmqp(new InProcessBroker());
});
afterAll(() => server.close());

/** What the command prints of a migration. */
async function printed(migration: StatefulMigration): Promise<string> {
  const { signal } = new AbortController();
  let text = '';
  const client = { get: async () => migration } as never;
  const stage = { client, namespace: 'shop', out: (part: string) => void (text += part), signal };
  await printState({ args: ['move'], options: {} }, async () => stage);
  return text;
}

function withSnapshot(
  snapshot: NonNullable<NonNullable<StatefulMigration['status']>['handover']>['snapshot'],
) {
  const config = { queueName: 'orders-0', brokerUrl: server.url, exchangeName: 'events', routingKey: '' };
  const handover = { epoch: 1, from: { pod: 'a' }, to: { pod: 'b' }, mirror: 'm', committed: false };
  const status = { handedOver: true, handover: { ...handover, ...(snapshot && { snapshot }) } };
  return migrationOf({ messageQueueConfig: config }, status);
}

test('MIG-83 the state that a migration has taken is printed, and stays at the broker', async () => {
  const messages = connectAmqp({ url: server.url });
  await messages.declareQueue('taken');
  const captured = { state: { sum: 7, large: 'x'.repeat(300_000) }, watermarks: { till: 9 }, handled: [] };
  const waiting = { timer, signal: new AbortController().signal };
  const facts = await writeSnapshot(messages, 'taken', captured, waiting);
  await messages.close();
  for (const _time of [1, 2]) {
    const { state, watermarks } = captured;
    expect(JSON.parse(await printed(withSnapshot(facts)))).toEqual({ state, watermarks });
  }
});

test('MIG-83 where none was taken, or its queue is gone, it says so', async () => {
  await expect(printed(withSnapshot(undefined))).rejects.toThrow(/move has taken no state/);
  const gone = { queue: 'gone', chunks: 1, bytes: 2, sha256: 'a' };
  await expect(printed(withSnapshot(gone))).rejects.toThrow('queue gone, which had the state, is gone');
});
