import { runWorld } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { isLong, seeds } from '../support/seeds.ts';
import { brokenBy, sharingVariants } from './ownership-variants.ts';
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

const FAULT: Readonly<Record<string, string>> = {
  possessive: 'isKept: taken was deleted, which another tool has',
  selfish: 'isKept: first was deleted, which another Composition has',
  resigned: 'never reached: the gadget is not there',
};
/** Those that `npm test` plays. */
const OFTEN = new Set(['selfish']);
const SEARCH = 50;

describe('an operator that is broken on purpose is caught', () => {
  for (const [name, variant] of Object.entries(sharingVariants).filter(([one]) => isLong || OFTEN.has(one))) {
    test(name, async () => {
      const scenario = synthesisScenario({ operator: brokenBy(variant) });
      for (let seed = 1; seed < SEARCH; seed++) {
        const { failure, faults } = await runWorld({ seed, scenario });
        if (failure === undefined) continue;
        expect(failure).toContain(FAULT[name]);
        // The fault is the variant's: the real operator masters the same world.
        const whole = await runWorld({ seed, scenario: synthesisScenario(), faults });
        expect(whole).not.toHaveProperty('failure');
        return;
      }
      expect.unreachable(`no seed fails: npm run simulate -- synthesis/${name}`);
    });
  }
});

/** The world as it was when these were found: what others do moves the calls at which the faults come. */
const ALONE = synthesisScenario({ others: false });

test('a slice whose finalizer a webhook kept off is pruned before it is deleted', async () => {
  const faults = [
    { type: 'lag', component: 'operator', call: 8, ms: 2850 },
    { type: 'hostile', effect: 'strip', at: 2428, ms: 17_271, writes: 8, delayMs: 2176 },
  ] as const;
  const { failure } = await runWorld({ seed: 31_000_297, scenario: ALONE, faults });
  expect(failure).toBeUndefined();
});

test('a write of the last synthesis that arrives late is undone', async () => {
  const faults = [
    { type: 'delay', component: 'operator', call: 40, ms: 3895 },
    { type: 'lostResponse', component: 'operator', call: 9 },
  ] as const;
  const { failure } = await runWorld({ seed: 31_000_645, scenario: ALONE, faults });
  expect(failure).toBeUndefined();
});

test('what a delayed request creates after another replica has pruned it is deleted', async () => {
  const faults = [
    { type: 'twin', component: 'operator', at: 8896, ms: 23_573 },
    { type: 'delay', component: 'operator', call: 37, ms: 9280 },
  ] as const;
  const { failure } = await runWorld({ seed: 33_000_974, scenario: ALONE, faults });
  expect(failure).toBeUndefined();
});

test('a slice whose finalizer a webhook restores is released once the webhook is gone', async () => {
  const faults = [
    { type: 'hostile', effect: 'undo', at: 61_034, ms: 4347, writes: 6, delayMs: 1659 },
  ] as const;
  const { failure } = await runWorld({ seed: 200_000_560, scenario: ALONE, faults });
  expect(failure).toBeUndefined();
});

test('an object that was released to a synthesis which never applied it goes when the next one drops it', async () => {
  const { failure } = await runWorld({ seed: 5_200_678, scenario: synthesisScenario() });
  expect(failure).toBeUndefined();
});
