import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { driftScenario, driftVariants } from './drift.ts';

/** `npm run simulate -- drift --seeds N` plays more of them. */
const SEEDS = seeds(3, 3);

test(`the drift operator masters ${SEEDS.length} worlds`, async () => {
  const scenario = driftScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- drift --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

test('DRF-50 an operator that forgets which approvals a child has used is caught', async () => {
  const result = await runWorld({ seed: 100_004, scenario: driftScenario(driftVariants['forgetful']) });
  expect(result.failure).toBe('what nobody asked for is denied: the third version got through');
});
