import { createClient, ignoreNotFound, isForbidden, sleep } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Component } from './component.ts';
import type { Scenario } from './scenario.ts';
import { runWorld } from './run-world.ts';

const COPY = { name: 'copy', namespace: 'default' };
const copy = (by: string): corev1.ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: COPY,
  data: { by },
});

/** Makes a copy once; whoever finds that there is one thinks that it was another's. */
const signer: Component = {
  name: 'signer',
  async start({ transport, clock }) {
    const client = createClient(transport);
    for (let by = 'first'; ; by = 'later') {
      const found = await ignoreNotFound(client.get(corev1.configmaps, COPY)).catch(() => undefined);
      if (found === undefined) await client.create(corev1.configmaps, copy(by)).catch(() => undefined);
      await sleep(clock, 1000);
    }
  },
};

const scenarioOf = (component: Component): Scenario => ({
  name: 'signed',
  observed: [['', 'configmaps']],
  components: [component],
  stableFor: 10_000,
  prepare: () => Promise.resolve(),
  missing: async ({ client }) =>
    (await ignoreNotFound(client.get(corev1.configmaps, COPY))) === undefined ? 'a copy' : undefined,
  endState: async ({ client }) => {
    const { data } = await client.get(corev1.configmaps, COPY);
    return [`by ${String((data as { by?: string }).by)}`];
  },
  invariants: {},
});

describe('a world', () => {
  test('compares its end with that of the same world without faults', async () => {
    const scenario = scenarioOf(signer);
    const calm = await runWorld({ seed: 1, scenario, faults: [] });
    expect(calm).toMatchObject({ endState: ['by first'] });
    expect(calm).not.toHaveProperty('failure');
    const lost = await runWorld({
      seed: 1,
      scenario,
      faults: [{ type: 'lostRequest', component: 'signer', call: 2 }],
    });
    expect(lost.failure).toBe('not as without faults: - by first\n+ by later');
  });

  test('is compared with the same one as other seeds that share its script', async () => {
    let worlds = 0;
    const drawn: number[] = [];
    const steady: Component = {
      name: 'steady',
      async start({ transport }) {
        worlds++;
        await createClient(transport).create(corev1.configmaps, copy('steady'));
      },
    };
    const scenario: Scenario = {
      ...scenarioOf(steady),
      seedsPerScript: 2,
      script: ({ random }) => Promise.resolve(void drawn.push(random.below(1000))),
    };
    const faults = [{ type: 'compact', at: 1 }] as const;
    for (const seed of [3, 4, 5])
      expect(await runWorld({ seed, scenario, faults })).not.toHaveProperty('failure');
    expect(worlds).toBe(3 + 2);
    const [three, five] = [drawn.slice(0, 3), drawn.slice(3)];
    expect([new Set(three).size, new Set(five).size, new Set(drawn).size]).toEqual([1, 1, 2]);
  });

  test('lets a component call as whoever it is', async () => {
    const refused: boolean[] = [];
    const guest: Component = {
      name: 'guest',
      async start({ connect, transport }) {
        const client = createClient(connect({ username: 'guest', groups: ['system:authenticated'] }));
        await client.create(corev1.configmaps, copy('guest')).catch((error: unknown) => {
          refused.push(isForbidden(error));
        });
        await createClient(transport).create(corev1.configmaps, copy('admin'));
      },
    };
    const { endState } = await runWorld({ seed: 1, scenario: scenarioOf(guest), faults: [] });
    expect([refused, endState]).toEqual([[true], ['by admin']]);
  });
});
