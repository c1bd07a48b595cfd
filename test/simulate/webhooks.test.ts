import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { webhooksScenario } from './webhooks.ts';

/** `npm run simulate -- webhooks --seeds N` plays more of them; `webhooks-start` begins with nothing. */
const SEEDS = 4;

test.each(['with a bundle that is due', 'with nothing'] as const)(
  `two replicas that begin %s end with one bundle, and who serves is trusted, in ${SEEDS} worlds`,
  async (start) => {
    const scenario = webhooksScenario(start);
    for (let seed = 1; seed <= SEEDS; seed++)
      expect(await runWorld({ seed, scenario }), `seed ${seed}`).not.toHaveProperty('failure');
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
