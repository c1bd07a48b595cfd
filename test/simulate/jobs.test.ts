import { runWorld } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { jobsScenario } from './jobs.ts';

/** `npm run simulate -- jobs --seeds N` plays more of them. */
const SEEDS = 5;

test(`Jobs end as they would without faults, and count each pod once, in ${SEEDS} worlds`, {
  timeout: 300_000,
}, async () => {
  const scenario = jobsScenario();
  for (let seed = 1; seed <= SEEDS; seed++)
    expect(await runWorld({ seed, scenario }), `seed ${seed}`).not.toHaveProperty('failure');
});
