import { runWorld } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { seeds, some } from '../support/seeds.ts';
import { stylesScenario, stylesVariants } from './drift-styles.ts';

/** `npm run simulate -- drift-styles --seeds N` plays more of them. */
const SEEDS = seeds(1, 2);

test(`DRF-140 drift masters ${SEEDS.length} worlds with controllers of five styles`, async () => {
  const scenario = stylesScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- drift-styles --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

/** What is seen of each, in a world without faults. */
const SEEN: readonly (readonly [name: string, failure: string])[] = [
  ['lenient', 'planted drift is denied'],
  ['hurried', 'Widget default/late: not as expected'],
  ['forgetful', 'not stable'],
];

describe('an operator that is broken on purpose is caught', () => {
  test.each(some(1, SEEN))('DRF-140 %s', async (name, failure) => {
    const result = await runWorld({ seed: 1, scenario: stylesScenario(stylesVariants[name]), faults: [] });
    expect(result.failure).toContain(failure);
  });

  test('each of them is played', () => {
    expect(SEEN.map(([name]) => name).toSorted()).toEqual(Object.keys(stylesVariants).toSorted());
  });
});
