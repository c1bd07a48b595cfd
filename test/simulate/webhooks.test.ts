import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { webhooksScenario } from './webhooks.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- webhooks --seeds N` plays more of them; `webhooks-start` begins with nothing. */
const SEEDS = seeds(2, 20);

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

test('a replica is checked across restarts, also when its twin was restarted twice', async () => {
  const crash = { type: 'crash', component: 'a', behind: 0 } as const;
  const faults = [
    { type: 'twin', component: 'a', at: 80_215, ms: 45_472 },
    { ...crash, call: 7, when: 'before', restartAfter: 1766 },
    { ...crash, call: 3, when: 'after', restartAfter: 5053 },
  ] as const;
  const scenario = webhooksScenario('with nothing');
  expect((await runWorld({ seed: 800_394, scenario, faults })).failure).toBeUndefined();
});

test('a caBundle that is written two minutes late does no harm, and without its guard is caught', async () => {
  // The first writes of `a`: somebody has emptied the caBundles, and meanwhile `b` brings in a new CA.
  const lateWrite = async (guarded: boolean): Promise<readonly (string | undefined)[]> => {
    const scenario = webhooksScenario('with a bundle that is due', { guarded });
    const failures: (string | undefined)[] = [];
    for (const call of [20, 21]) {
      const faults = [{ type: 'delay', component: 'a', call, ms: 130_000 }] as const;
      failures.push((await runWorld({ seed: 1, scenario, faults })).failure);
    }
    return failures;
  };
  expect(await lateWrite(true)).toEqual([undefined, undefined]);
  expect(await lateWrite(false)).toContainEqual(expect.stringContaining('who serves is trusted'));
});
