import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { synthesisScenario } from './synthesis.ts';

/** `npm run simulate -- synthesis --seeds N` plays more of them. */
const SEEDS = seeds(2, 25);

test(`a synthesis masters ${SEEDS.length} worlds`, async () => {
  const scenario = synthesisScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- synthesis --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

test('a slice whose finalizer a webhook kept off is pruned before it is deleted', async () => {
  const faults = [
    { type: 'lag', component: 'operator', call: 8, ms: 2850 },
    { type: 'hostile', effect: 'strip', at: 2428, ms: 17_271, writes: 8, delayMs: 2176 },
  ] as const;
  const { failure } = await runWorld({ seed: 31_000_297, scenario: synthesisScenario(), faults });
  expect(failure).toBeUndefined();
});

test('a write of the last synthesis that arrives late is undone', async () => {
  const faults = [
    { type: 'delay', component: 'operator', call: 40, ms: 3895 },
    { type: 'lostResponse', component: 'operator', call: 9 },
  ] as const;
  const { failure } = await runWorld({ seed: 31_000_645, scenario: synthesisScenario(), faults });
  expect(failure).toBeUndefined();
});

test('what a delayed request creates after another replica has pruned it is deleted', async () => {
  const faults = [
    { type: 'twin', component: 'operator', at: 8896, ms: 23_573 },
    { type: 'delay', component: 'operator', call: 37, ms: 9280 },
  ] as const;
  const { failure } = await runWorld({ seed: 33_000_974, scenario: synthesisScenario(), faults });
  expect(failure).toBeUndefined();
});

test('a slice whose finalizer a webhook restores is released once the webhook is gone', async () => {
  const faults = [
    { type: 'hostile', effect: 'undo', at: 61_034, ms: 4347, writes: 6, delayMs: 1659 },
  ] as const;
  const { failure } = await runWorld({ seed: 200_000_560, scenario: synthesisScenario(), faults });
  expect(failure).toBeUndefined();
});
