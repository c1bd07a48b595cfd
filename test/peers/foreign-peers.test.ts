import { beforeAll, expect, test, vi } from 'vitest';
import { issueCertificate, type KeyPair, makeAuthority } from '../support/certificates.ts';
import {
  BEHAVIOURS,
  escaped,
  type ForeignPeer,
  randomBehaviours,
  startForeignPeer,
} from '../support/foreign-peers.ts';
import { seeds } from '../support/seeds.ts';
import { CLIENTS } from './clients.ts';

/** Longer than any of them waits for a server that is silent. */
const SILENT_MS = 120_000;
const ALL = Object.assign({}, BEHAVIOURS, ...seeds(3, 40).map(randomBehaviours)) as typeof BEHAVIOURS;
let certificate: KeyPair;

beforeAll(async () => {
  const subject = [{ CN: ['a peer'] }];
  certificate = await issueCertificate(await makeAuthority('peers'), { subject, usage: 'server' });
});

// At the same time: they wait for silent peers, most of it.
test.concurrent.each(Object.entries(CLIENTS))(
  '%s may be something else: each call ends with an error, takes a bounded part of what is sent, and nothing escapes',
  async (_name, { call, most, isSecure, keepsNone }) => {
    const peers = await Promise.all(
      Object.entries(ALL).map(async ([name, behave]) => {
        return { name, peer: await startForeignPeer(behave, isSecure && certificate) };
      }),
    );
    const outcomes: Record<string, unknown> = {};
    const caught = await escaped(() =>
      Promise.all(
        peers.map(async ({ name, peer }) => {
          outcomes[name] = await call(peer.port).catch((error: unknown) => error);
          // One that reads nothing does not notice.
          if (keepsNone === true && name !== 'is silent, and reads nothing') await closed(peer);
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
  SILENT_MS,
);

function closed(peer: ForeignPeer): Promise<void> {
  return vi.waitFor(() => expect(peer.open).toBe(0), { timeout: SILENT_MS });
}
