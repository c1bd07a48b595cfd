import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { captureScenario, captureVariants } from './capture.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- capture --seeds N` plays more of them. */
const SEEDS = seeds(5, 20);

test(`the capture operator masters ${SEEDS.length} worlds, and nothing is left behind`, async () => {
  await playWorlds('capture', captureScenario(), SEEDS);
});

test.each([
  ['hasty', 'a Completed capture is whole: all-0 is Completed, its checkpoint is not Ready'],
  ['impatient', 'a Completed snapshot is ready: volume-0 is Completed before its snapshot is ready'],
])('an operator that is %s is caught, without any fault', async (variant, failure) => {
  const result = await runWorld({ seed: 1, scenario: captureScenario(captureVariants[variant]), faults: [] });
  expect(result.failure).toBe(failure);
});
