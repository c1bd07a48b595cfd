import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds, some } from '../support/seeds.ts';
import { BESIDE_DRIFT } from './beside-drift.ts';

/** `npm run simulate -- classes-beside-drift --seeds N` plays more of them. */
const SEEDS = seeds(1, 1);

test.each(some(4, Object.entries(BESIDE_DRIFT)))(
  'DRF-141 %s does its work where drift of all that it writes is denied, and none is seen',
  async (name, scenario) => {
    for (const seed of SEEDS) {
      const result = await runWorld({ seed, scenario });
      expect(result, `npm run simulate -- ${name}-beside-drift --seed ${seed} --trace`).not.toHaveProperty(
        'failure',
      );
    }
  },
);
