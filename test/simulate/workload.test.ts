import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { workloadVariants } from './workload/variants.ts';
import { workloadScenario } from './workload/workload.ts';

/** `npm run simulate -- workload --seeds N` plays more of them. */
const SEEDS = 3;
const PATIENCE = { timeout: 300_000 };

test(
  `a cluster ends as it would without faults, and comes to rest, in ${SEEDS} worlds`,
  PATIENCE,
  async () => {
    const scenario = workloadScenario();
    for (let seed = 1; seed <= SEEDS; seed++) {
      expect(await runWorld({ seed, scenario }), `seed ${seed}`).not.toHaveProperty('failure');
    }
  },
);

test('controllers that do not wait for their turn are caught', PATIENCE, async () => {
  const scenario = workloadVariants['impatient'] ?? workloadScenario();
  const result = await runWorld({ seed: 1, scenario, faults: [] });
  expect(result.failure).toMatch(/^ordered sets are born in order/);
});
