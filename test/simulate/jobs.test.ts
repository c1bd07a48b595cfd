import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { isLong, seeds } from '../support/seeds.ts';
import { jobsVariants } from './jobs-variants.ts';
import { jobsScenario } from './jobs.ts';
import { playWorlds } from './play-worlds.ts';

/** `npm run simulate -- jobs --seeds N` plays more of them. */
const SEEDS = seeds(1, 15);

test(`Jobs end as they would without faults, and count each pod once, in ${SEEDS.length} worlds`, async () => {
  await playWorlds('jobs', jobsScenario(), SEEDS);
});

test('what another controller counts while the pods are read is not counted again', async () => {
  await playWorlds('jobs', jobsScenario(), [90_000_611]);
});

test('whenever its controllers die, and however far behind they come back, a Job makes no pod again', async () => {
  const scenario = jobsScenario();
  for (let call = 20; call < 60; call += isLong ? 1 : 10) {
    const restart = { restartAfter: 1000, behind: 7, stale: 6000 };
    const faults = [{ type: 'crash', component: 'controllers', call, when: 'after', ...restart } as const];
    const result = await runWorld({ seed: 1, scenario, faults });
    expect(result, `after call ${call}`).not.toHaveProperty('failure');
  }
});

test('a controller that counts pods when it names them, and again when they are gone, is caught', async () => {
  const result = await runWorld({ seed: 1, scenario: jobsScenario(jobsVariants['hasty']), faults: [] });
  expect(result.failure).toMatch(/^a Job counts once: at \d+ \S+ counted \d+, of \d+ pods that were over$/);
});
