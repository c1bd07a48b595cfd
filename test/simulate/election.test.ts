import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { electionScenario } from './election.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- election --seeds N` plays more of them. */
const SEEDS = seeds(2, 50);

test(`never two leaders write in ${SEEDS.length} worlds: frozen, killed, clocks set, calls lost and late`, async () => {
  await playWorlds('election', electionScenario(), SEEDS);
});

test('a renewal that a webhook undoes does not let two write', async () => {
  const faults = [
    { type: 'pause', component: 'a', at: 9798, ms: 13_479 },
    { type: 'crash', component: 'b', call: 46, when: 'before', restartAfter: 1829, behind: 0 },
    { type: 'hostile', effect: 'undo', at: 56_612, ms: 18_570, writes: 5, delayMs: 0 },
  ] as const;
  const result = await runWorld({ seed: 800_193, scenario: electionScenario(), faults });
  expect(result).not.toHaveProperty('failure');
});

test('a leader without a fence, frozen past its Lease, is caught', async () => {
  const scenario = electionScenario({ fenced: false });
  const failures: string[] = [];
  for (let at = 10_000; at < 80_000 && failures.length === 0; at += 10_000) {
    const faults = ['a', 'b'].map((component) => ({ type: 'pause', component, at, ms: 30_000 }) as const);
    const { failure } = await runWorld({ seed: 1, scenario, faults });
    if (failure !== undefined) failures.push(failure);
  }
  expect(failures).toEqual([expect.stringContaining('only the holder writes')]);
});
