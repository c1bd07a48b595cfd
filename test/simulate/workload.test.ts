import { runWorld } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { isLong, seeds, some } from '../support/seeds.ts';
import type { Tamper } from './tampered-controllers.ts';
import { workloadVariants } from './workload/variants.ts';
import { workloadScenario } from './workload/workload.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- workload --seeds N` plays more of them. */
const SEEDS = seeds(1, 5);

test(`a cluster ends as it would without faults, and comes to rest, in ${SEEDS.length} worlds`, async () => {
  await playWorlds('workload', workloadScenario(), SEEDS);
});

test.runIf(isLong)('every controller has something to do [needs npm run test:long]', async () => {
  const [users, busy] = [new Set<string>(), new Set<string>()];
  const scenario = workloadScenario(noting(users, busy), { everything: true });
  expect(await runWorld({ seed: 1, scenario, faults: [] })).not.toHaveProperty('failure');
  // One reads for all.
  expect([...users].filter((user) => !busy.has(user))).toEqual(['system:kube-controller-manager']);
});

/** Notes the user of each controller, and whose writes succeed. */
function noting(users: Set<string>, busy: Set<string>): Tamper {
  return (transport, { username } = { username: '', groups: [] }) => {
    users.add(username);
    const request: Transport['request'] = async (asked) => {
      const answer = await transport.request(asked);
      const isEvent = asked.path.includes('/events');
      if (asked.method !== 'GET' && !isEvent && answer.status < 300) busy.add(username);
      return answer;
    };
    return { ...transport, request };
  };
}

const BROKEN = [
  ['impatient', 'ordered sets are born in order'],
  ['crowded', 'a CronJob has one Job at a time'],
  ['boundless', 'never reached: an autoscaler'],
] as const;

/** Only in the long run: they take as long as all else here. */
test.each(some(0, BROKEN))('controllers that are %s are caught', async (name, failure) => {
  const scenario = workloadVariants[name] ?? workloadScenario();
  const result = await runWorld({ seed: 1, scenario, faults: [] });
  expect(result.failure).toContain(failure);
});
