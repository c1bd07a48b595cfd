import { connectAmqp } from '@kubewright/migratable/amqp';
import { describe, expect, test } from 'vitest';
import { BEHAVIOURS, escaped, randomBehaviours, startForeignPeer } from '../support/foreign-peers.ts';
import { seeds } from '../support/seeds.ts';

/** A client of ours, and what it may take of a response that has no end. */
type Client = {
  readonly most: number;
  /** Rejects. */
  readonly call: (port: number) => Promise<unknown>;
};

const MB = 1024 * 1024;
/** What the kernel may hold of a connection. */
const KERNEL = 16 * MB;
const SILENT_S = 60;

const CLIENTS: Readonly<Record<string, Client>> = {
  'AMQP 0-9-1': {
    most: KERNEL,
    async call(port) {
      const connection = connectAmqp({ url: `amqp://127.0.0.1:${port}` });
      try {
        await connection.declareQueue('orders');
      } finally {
        await connection.close();
      }
    },
  },
};

const ALL = {
  ...BEHAVIOURS,
  ...Object.assign({}, ...seeds(3, 40).map(randomBehaviours)),
} as typeof BEHAVIOURS;

describe.each(Object.entries(CLIENTS))('%s', (_name, { call, most }) => {
  test(
    'each call at a foreign peer ends with an error, takes a bounded part of what is sent, and nothing escapes',
    async () => {
      const peers = await Promise.all(
        Object.entries(ALL).map(async ([name, behave]) => ({ name, peer: await startForeignPeer(behave) })),
      );
      const outcomes: Record<string, unknown> = {};
      const caught = await escaped(() =>
        Promise.all(
          peers.map(async ({ name, peer }) => {
            outcomes[name] = await call(peer.port).catch((error: unknown) => error);
            await peer.close();
          }),
        ),
      );
      expect(caught).toEqual([]);
      for (const { name, peer } of peers) {
        expect(outcomes[name], name).toBeInstanceOf(Error);
        expect(peer.taken, name).toBeLessThan(most);
      }
    },
    SILENT_S * 1000,
  );
});
