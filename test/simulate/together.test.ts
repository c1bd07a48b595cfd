import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { isLong, seeds } from '../support/seeds.ts';
import { unannounced } from './drift-variants.ts';
import { togetherScenario } from './together.ts';

/** `npm run simulate -- together --seeds N` plays more of them. */
const SEEDS = seeds(1, 8);

test('DRF-173 all five operators act on the same objects, where drift of all that they write is denied, and none is seen', async () => {
  const scenario = togetherScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- together --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

// It lasts as long as a world without an end.
test.runIf(isLong)(
  'DRF-173 an operator that does not read what a class announces is caught [needs npm run test:long]',
  async () => {
    const result = await runWorld({ seed: 1, scenario: togetherScenario(unannounced) });
    expect(result.failure).toContain('the Deployment has 1 replicas');
  },
);
