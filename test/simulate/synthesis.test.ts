import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { synthesisScenario } from './synthesis.ts';

/** `npm run simulate -- synthesis --seeds N` plays more of them. */
const SEEDS = seeds(5, 100);

test(`a synthesis masters ${SEEDS.length} worlds`, async () => {
  const scenario = synthesisScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- synthesis --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});
