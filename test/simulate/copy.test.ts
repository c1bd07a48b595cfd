import { runWorld, shrinkFaults } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { copyScenario } from './copy.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- copy --seeds N` plays more of them. */
const SEEDS = seeds(10, 250);
const SEARCH = 400;

test(`a controller that writes by what its cache says masters ${SEEDS.length} worlds, if it guards its writes`, async () => {
  await playWorlds('copy', copyScenario(), SEEDS);
});

/** Where the search begins: a seed that failed when this was written. A change elsewhere may move it on. */
const FOUND_AT = { guard: 169, live: 124 } as const;

test.each(['guard', 'live'] as const)(
  'without its %s (guard, or live read) a stale read is taken for the current state',
  async (without) => {
    const scenario = copyScenario({ without });
    const first = FOUND_AT[without];
    for (let seed = first; seed < first + SEARCH; seed++) {
      const result = await runWorld({ seed, scenario });
      if (result.failure === undefined) continue;
      expect((await shrinkFaults({ seed, scenario }, result)).failure).toContain('the copy never goes back');
      return;
    }
    expect.unreachable(`no seed from ${first} on fails`);
  },
);
