import { RuntimeError } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { InProcessBroker } from './brokers/in-process/in-process-broker.ts';
import type { CheckpointOrder, NodeAgents } from './checkpoints/node-agents.ts';
import { fencedAgents, fencedBrokers } from './fenced.ts';

let isLeading = true;
const leader = {
  requireLease(what: string) {
    if (!isLeading) throw new RuntimeError('NotLeading', what);
  },
};

describe('an operator that does not lead any more', () => {
  const broker = new InProcessBroker();
  const nothing = async (): Promise<void> => undefined;
  const brokers = { at: () => broker.connect(), release: nothing, close: nothing };
  const fenced = fencedBrokers(brokers, leader).at({ url: '' });
  const binding = { queue: 'queue', exchange: 'events', routingKey: '' };

  test.each([
    ['declares', () => fenced.declareQueue('other')],
    ['deletes', () => fenced.deleteQueue('queue')],
    ['binds', () => fenced.bind(binding)],
    ['unbinds', () => fenced.unbind(binding)],
    ['sends', () => fenced.send('queue', { body: {} })],
  ])('%s nothing at a broker', async (_what, call) => {
    isLeading = true;
    broker.declareExchange('events', 'fanout');
    await fenced.declareQueue('queue');
    await fenced.bind(binding);
    isLeading = false;
    await expect(call()).rejects.toMatchObject({ code: 'NotLeading' });
    expect([...broker.queues.keys()]).toEqual(['queue']);
    broker.publish('events', '', { properties: {}, body: Buffer.from('') });
    expect((await fenced.queue('queue'))?.ready).toBeGreaterThan(0);
  });

  test('orders nothing of an agent, and deletes nothing there', async () => {
    const called: string[] = [];
    const agents: NodeAgents = {
      facts: async () => undefined,
      get: async () => undefined,
      begin: async () => void called.push('begin'),
      remove: async () => void called.push('remove'),
    };
    const order = { id: 'a.1', node: 'a', targetNode: 'b' } as CheckpointOrder;
    const calls = fencedAgents(agents, leader);
    isLeading = false;
    await expect(calls.begin(order)).rejects.toMatchObject({ code: 'NotLeading' });
    await expect(calls.remove(order)).rejects.toMatchObject({ code: 'NotLeading' });
    isLeading = true;
    await calls.begin(order);
    await calls.remove(order);
    expect(called).toEqual(['begin', 'remove']);
  });
});
