import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { webhooksScenario } from './webhooks.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- webhooks --seeds N` plays more of them; `webhooks-start` begins with nothing. */
const SEEDS = seeds(2, 40);

test.each(['with a bundle that is due', 'with nothing'] as const)(
  `two replicas that begin %s end with one bundle, and who serves is trusted, in ${SEEDS.length} worlds`,
  async (start) => {
    await playWorlds(
      start === 'with nothing' ? 'webhooks-start' : 'webhooks',
      webhooksScenario(start),
      SEEDS,
    );
  },
);

test('a caBundle that is written two minutes late does no harm, and without its guard is caught', async () => {
  // The first writes of `a`: somebody has emptied the caBundles, and meanwhile `b` brings in a new CA.
  const lateWrite = async (guarded: boolean): Promise<readonly (string | undefined)[]> => {
    const scenario = webhooksScenario('with a bundle that is due', { guarded });
    const failures: (string | undefined)[] = [];
    for (const call of [13, 14]) {
      const faults = [{ type: 'delay', component: 'a', call, ms: 130_000 }] as const;
      failures.push((await runWorld({ seed: 1, scenario, faults })).failure);
    }
    return failures;
  };
  expect(await lateWrite(true)).toEqual([undefined, undefined]);
  expect(await lateWrite(false)).toContainEqual(expect.stringContaining('who serves is trusted'));
});
