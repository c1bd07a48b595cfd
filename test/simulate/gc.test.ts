import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { gcScenario } from './gc.ts';

/** `npm run simulate -- gc --seeds N` plays more of them. */
const SEEDS = 10;

test(`the garbage collector masters ${SEEDS} worlds with an owner graph in each`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    expect(await runWorld({ seed, scenario: gcScenario }), `seed ${seed}`).not.toHaveProperty('failure');
  }
});
