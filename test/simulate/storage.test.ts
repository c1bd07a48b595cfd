import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { forgetful, storageScenario } from './storage.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- storage --seeds N` plays more of them. */
const SEEDS = seeds(1, 15);

test(`volumes and snapshots master ${SEEDS.length} worlds, and nothing leaks`, async () => {
  await playWorlds('storage', storageScenario(), SEEDS);
});

test('a snapshot is taken although a webhook undid the last write for it, without an event', async () => {
  const faults = [{ type: 'hostile', effect: 'undo', at: 3940, ms: 13_246, writes: 7, delayMs: 0 }] as const;
  const { failure } = await runWorld({ seed: 840_030, scenario: storageScenario(), faults });
  expect(failure).toBeUndefined();
});

test('a volume that a paused driver creates again, after it was deleted, is deleted again', async () => {
  const faults = [
    { type: 'twin', component: 'driver', at: 1824, ms: 25_694 },
    { type: 'pause', component: 'driver', at: 6397, ms: 21_256 },
    { type: 'hostile', effect: 'change', at: 1817, ms: 4773, writes: 5, delayMs: 1078 },
  ] as const;
  const { failure } = await runWorld({ seed: 31_000_006, scenario: storageScenario(), faults });
  expect(failure).toBeUndefined();
});

test('a storage system that makes a volume for each order leaks, and is caught', async () => {
  const { failure } = await runWorld({ seed: 1, scenario: storageScenario(forgetful), faults: [] });
  expect(failure).toMatch(/^never reached: the storage holds/);
});
