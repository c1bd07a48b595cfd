import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { forgetful, storageScenario } from './storage.ts';

/** `npm run simulate -- storage --seeds N` plays more of them. */
const SEEDS = 4;
const PATIENCE = { timeout: 300_000 };

test(`volumes and snapshots master ${SEEDS} worlds, and nothing leaks`, PATIENCE, async () => {
  const scenario = storageScenario();
  for (let seed = 1; seed <= SEEDS; seed++) {
    expect(await runWorld({ seed, scenario }), `seed ${seed}`).not.toHaveProperty('failure');
  }
});

test('a storage system that makes a volume for each order leaks, and is caught', PATIENCE, async () => {
  const { failure } = await runWorld({ seed: 1, scenario: storageScenario(forgetful), faults: [] });
  expect(failure).toMatch(/^never reached: the storage holds/);
});
