import { runWorld, shrinkFaults } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { gcScenario } from './gc.ts';
import { gcVariants } from './gc-variants.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- gc --seeds N` plays more of them. */
const SEEDS = seeds(2, 25);
const SEARCH = 200;
/** Where the search begins: a seed that failed when this was written. A change elsewhere may move it on. */
const FOUND_AT = 188;

test(`the garbage collector masters ${SEEDS.length} worlds with an owner graph in each`, async () => {
  await playWorlds('gc', gcScenario(), SEEDS);
});

test('an owner goes on orphaning until its dependents have lost their references, also when a webhook undid that', async () => {
  const faults = [
    { type: 'twin', component: 'controllers', at: 6214, ms: 15_664 },
    { type: 'hostile', effect: 'undo', at: 979, ms: 23_897, writes: 4, delayMs: 0 },
  ] as const;
  const result = await runWorld({ seed: 840_263, scenario: gcScenario(), faults });
  expect(result).not.toHaveProperty('failure');
});

test('a collector that deletes what has changed meanwhile is caught', async () => {
  const scenario = gcScenario(gcVariants['unguarded']);
  for (let seed = FOUND_AT; seed < FOUND_AT + SEARCH; seed++) {
    const result = await runWorld({ seed, scenario });
    if (result.failure === undefined) continue;
    const least = await shrinkFaults({ seed, scenario }, result);
    expect(least.failure).toMatch(/^(?:only what nobody owns is collected|orphans are released)/);
    expect(least.faults.length).toBeLessThan(3);
    expect(await runWorld({ seed, scenario: gcScenario(), faults: result.faults })).not.toHaveProperty(
      'failure',
    );
    return;
  }
  expect.unreachable(`no seed from ${FOUND_AT} on fails: npm run simulate -- gc/unguarded`);
});
