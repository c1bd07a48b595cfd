import { runWorld } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
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

/** Each with a seed that finds it, and what is seen. The operator itself masters that seed with the same faults. */
const FOUND = {
  forgetful: [100_004, 'what nobody asked for is denied: the third version got through'],
  hasty: [100_001, 'script: RuntimeError: ConfigMap default/web: not as expected'],
} as const;

describe('an operator that is broken on purpose is caught', () => {
  test.each(Object.entries(FOUND))('DRF-50 DRF-61 %s, by seed %j', async (name, [seed, failure]) => {
    const result = await runWorld({ seed, scenario: driftScenario(driftVariants[name]) });
    expect(result.failure).toContain(failure);
    const whole = await runWorld({ seed, scenario: driftScenario(), faults: result.faults });
    expect(whole).not.toHaveProperty('failure');
  });

  test('all of them', () => {
    expect(Object.keys(FOUND)).toEqual(Object.keys(driftVariants));
  });
});
