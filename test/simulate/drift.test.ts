import { runWorld } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { seeds, some } from '../support/seeds.ts';
import { driftScenario } from './drift.ts';
import { driftVariants } from './drift-variants.ts';

/** `npm run simulate -- drift --seeds N` plays more of them. */
const SEEDS = seeds(1, 3);

test(`the drift operator masters ${SEEDS.length} worlds`, async () => {
  const scenario = driftScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- drift --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

test('what a controller repeats because a webhook undid it is what was asked for', async () => {
  const fault = { type: 'hostile', effect: 'undo', at: 60_009, ms: 23_595, writes: 5, delayMs: 298 } as const;
  const result = await runWorld({ seed: 150_145, scenario: driftScenario(), faults: [fault] });
  expect(result).not.toHaveProperty('failure');
});

/** Each with a seed that finds it, and what is seen. The operator itself masters that seed with the same faults. */
const FOUND: readonly (readonly [name: string, seed: number, failure: string])[] = [
  ['forgetful', 100_108, 'what nobody asked for is denied: the third version got through'],
  ['hasty', 100_001, 'script: RuntimeError: ConfigMap default/web: not as expected'],
  ['hoarding', 100_001, 'never reached: the approval is still there'],
  ['leaky', 100_001, 'no annotation leaks from the parent to the child'],
];

describe('an operator that is broken on purpose is caught', () => {
  test.each(some(1, FOUND))('DRF-50 DRF-61 %s, by seed %i', async (name, seed, failure) => {
    const result = await runWorld({ seed, scenario: driftScenario(driftVariants[name]) });
    expect(result.failure).toContain(failure);
    const whole = await runWorld({ seed, scenario: driftScenario(), faults: result.faults });
    expect(whole).not.toHaveProperty('failure');
  });

  test('each of them has its seed', () => {
    expect(FOUND.map(([name]) => name)).toEqual(Object.keys(driftVariants));
  });
});
