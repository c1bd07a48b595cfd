import { createManualClock } from '@kubewright/client';
import { silentLogger } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import { OperatorError } from '../../operator-error.ts';
import type { Broker, BrokerAddress, Brokers } from './broker.ts';
import { BrokerPeers } from './broker-peers.ts';

const SILENT = { url: 'amqp://silent' };
const HONEST = { url: 'amqp://honest' };
const user = (name: string) => ({ namespace: 'shop', name });

/** Brokers that respond as `respond` says: what is asked of a silent one stays pending until its connection is released. */
function setUp() {
  const clock = createManualClock();
  const [asked, released, woken]: [string[], string[], string[]] = [[], [], []];
  const ends = new Map<string, Set<(error: unknown) => void>>();
  let respond = ({ url }: BrokerAddress): Promise<void> => {
    if (url === HONEST.url) return Promise.resolve();
    return new Promise((_resolve, reject) => {
      ends.set(url, (ends.get(url) ?? new Set()).add(reject));
    });
  };
  const brokers: Brokers = {
    at: (address) =>
      ({
        reach: async () => {
          asked.push(address.url);
          await respond(address);
        },
      }) as Broker,
    async release({ url }) {
      released.push(url);
      for (const end of ends.get(url) ?? []) end(new OperatorError('Unavailable', 'closed'));
      ends.delete(url);
    },
    close: async () => undefined,
  };
  const peers = new BrokerPeers(brokers, {
    clock,
    log: silentLogger,
    wake: ({ name }) => woken.push(name),
  });
  const use = (name: string, address: BrokerAddress): Promise<string> =>
    peers.use(user(name), address, async (broker) => {
      await broker.reach();
      return 'used';
    });
  return {
    clock,
    peers,
    use,
    asked,
    released,
    woken,
    answer: (how: typeof respond) => (respond = how),
  };
}

const UNAVAILABLE = { code: 'Unavailable' };

describe('a broker that does not respond', () => {
  test('is asked once, whoever names it, and nobody waits for it', async () => {
    const { use, asked, clock } = setUp();
    for (let index = 0; index < 375; index++)
      await expect(use(`silent-${index}`, SILENT)).rejects.toMatchObject(UNAVAILABLE);
    expect(asked).toEqual([SILENT.url]);
    await clock.advance(60_000);
    // 12 seconds each, and a pause of up to five.
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  test('does not keep others from one that does, which wakes who waits for it', async () => {
    const { use, clock, woken } = setUp();
    await expect(use('silent', SILENT)).rejects.toMatchObject(UNAVAILABLE);
    await expect(use('honest', HONEST)).rejects.toThrow('it has not responded yet');
    await clock.advance(0);
    expect(woken).toEqual(['honest']);
    expect(await use('honest', HONEST)).toBe('used');
  });

  test('is nothing new to who was just told so, until it responds', async () => {
    const { use, clock, peers, answer } = setUp();
    expect(peers.isWaiting(user('one'), 1000)).toBe(false);
    answer(() => Promise.reject(new OperatorError('Unavailable', 'connection refused')));
    await use('one', HONEST).catch(() => undefined);
    await clock.advance(999);
    expect(peers.isWaiting(user('one'), 1000)).toBe(true);
    await clock.advance(1);
    expect(peers.isWaiting(user('one'), 1000)).toBe(false);
    await use('one', HONEST).catch(() => undefined);
    expect(peers.isWaiting(user('one'), 60_000)).toBe(true);
    answer(() => Promise.resolve());
    await clock.advance(5000);
    expect(peers.isWaiting(user('one'), 60_000)).toBe(false);
  });

  test('is reported with the reason of the last attempt', async () => {
    const { use, clock, answer } = setUp();
    answer(() => Promise.reject(new OperatorError('Unavailable', 'connection refused')));
    await expect(use('one', HONEST)).rejects.toThrow('it has not responded yet');
    await clock.advance(0);
    await expect(use('one', HONEST)).rejects.toThrow('connection refused');
  });

  test('although it responded before: one caller notices, the others are told', async () => {
    const { use, clock, answer, asked } = setUp();
    await use('one', HONEST).catch(() => undefined);
    await clock.advance(0);
    answer(() => new Promise(() => undefined));
    const first = use('one', HONEST);
    const rejected = expect(first).rejects.toThrow('has not responded for 12 s');
    await clock.advance(12_000);
    await rejected;
    await expect(use('two', HONEST)).rejects.toThrow('has not responded for 12 s');
    expect(asked).toHaveLength(3);
  });

  test('one that responds with a rejection is there: its callers get the rejection', async () => {
    const { use, clock, answer, released } = setUp();
    answer(() => Promise.reject(new OperatorError('Failed', 'ACCESS_REFUSED')));
    await use('one', HONEST).catch(() => undefined);
    await clock.advance(0);
    await expect(use('one', HONEST)).rejects.toThrow('ACCESS_REFUSED');
    expect(released).toEqual([]);
  });
});

describe('the connection to a broker', () => {
  test('ends with the last migration that names it, and it is not tried any more', async () => {
    const { use, clock, peers, asked, released } = setUp();
    await use('one', SILENT).catch(() => undefined);
    await use('two', SILENT).catch(() => undefined);
    peers.leave(user('one'));
    expect(released).toEqual([]);
    peers.leave(user('two'));
    expect(released).toEqual([SILENT.url]);
    const before = asked.length;
    await clock.advance(600_000);
    expect(asked).toHaveLength(before);
    expect(clock.pending).toBe(0);
  });

  test('ends when a migration names another one, for example because its password was changed', async () => {
    const { use, clock, released } = setUp();
    const before = { ...HONEST, credentials: { username: 'shop', password: 'old' } };
    const after = { ...HONEST, credentials: { username: 'shop', password: 'new' } };
    await use('one', before).catch(() => undefined);
    await clock.advance(0);
    await use('one', after).catch(() => undefined);
    expect(released).toEqual([HONEST.url]);
    await clock.advance(0);
    expect(await use('one', after)).toBe('used');
  });

  test('of a migration that nobody knows is no concern', () => {
    const { peers, released } = setUp();
    peers.leave(user('nobody'));
    expect(released).toEqual([]);
  });

  test('nothing is tried once all are closed', async () => {
    const { use, clock, peers, asked } = setUp();
    await use('one', SILENT).catch(() => undefined);
    await peers.close();
    await clock.advance(600_000);
    expect(asked).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});
