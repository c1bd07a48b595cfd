import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { countedScenario } from './counted.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- counted --seeds N` plays more of them. */
const SEEDS = seeds(2, 30);
const CAUGHT = 'never more than it wants: it made 4';

test('what was written is counted, though watches lag, break off and start anew, and answers are lost', async () => {
  await playWorlds('counted', countedScenario(), SEEDS);
});

test('one that only believes its watch is caught', async () => {
  const scenario = countedScenario((_own, bare) => bare);
  const failures: (string | undefined)[] = [];
  for (let seed = 1; seed <= 10 && !failures.includes(CAUGHT); seed++)
    failures.push((await runWorld({ seed, scenario })).failure);
  expect(failures).toContain(CAUGHT);
});
