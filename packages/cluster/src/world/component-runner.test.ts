import { sleep } from '@kubewright/client';
import { expect, test } from 'vitest';
import type { Component } from './component.ts';
import { runWorld } from './run-world.ts';

test('two twins at the same time are two processes, and each ends when its time is over', async () => {
  const lastSeen: number[] = [];
  const component: Component = {
    name: 'a',
    async start({ clock, signal }) {
      const instance = lastSeen.push(0) - 1;
      while (!signal.aborted) {
        lastSeen[instance] = clock.monotonic();
        await sleep(clock, 1000, signal);
      }
    },
  };
  const scenario = {
    name: 'twins',
    observed: [],
    components: [component],
    stableFor: 0,
    prepare: async () => undefined,
    missing: async () => undefined,
    invariants: {},
  };
  const twin = { type: 'twin', component: 'a', ms: 5000 } as const;
  await runWorld({
    seed: 1,
    scenario,
    faults: [
      { ...twin, at: 500 },
      { ...twin, at: 2500 },
    ],
  });
  const [own, ...twins] = lastSeen;
  expect(own).toBeGreaterThan(100_000);
  expect(twins).toEqual([4500, 6500]);
});
