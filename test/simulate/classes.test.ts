import { runWorld, shrinkFaults } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { classesScenario, classesVariants } from './classes.ts';

/** `npm run simulate -- classes --seeds N` plays more of them. */
const SEEDS = seeds(10, 500);

test(`the classes operator masters ${SEEDS.length} worlds`, async () => {
  const scenario = classesScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- classes --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

test('an operator that leaves what nobody wants is caught, without any fault', async () => {
  const scenario = classesScenario(classesVariants['untidy']);
  const result = await runWorld({ seed: 4, scenario });
  const least = await shrinkFaults({ seed: 4, scenario }, result);
  expect(least.failure).toContain('Deployment/shop-fn-0');
  expect(least.faults).toEqual([]);
});
