import { runWorld, type Scenario } from '@kubewright/cluster';
import { expect } from 'vitest';

/** Plays a world for each seed; the first that fails says how to play it again. */
export async function playWorlds(name: string, scenario: Scenario, seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    const replay = `npm run simulate -- ${name} --seed ${seed} --trace`;
    expect(await runWorld({ seed, scenario }), replay).not.toHaveProperty('failure');
  }
}
