import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { ownershipScenario } from './ownership.ts';

/** `npm run simulate -- ownership --seeds N` plays more of them. */
const SEEDS = 10;

test(`the ownership operator masters ${SEEDS} worlds: crashes, lost answers, stale reads, two at once`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    expect(await runWorld({ seed, scenario: ownershipScenario }), `seed ${seed}`).not.toHaveProperty(
      'failure',
    );
  }
});
