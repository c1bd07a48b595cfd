import { ignoreNotFound, sleep } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { Component } from '../../world/component.ts';
import type { Scenario } from '../../world/scenario.ts';
import { runWorld } from '../../world/run-world.ts';
import { startControllers } from '../start-controllers.ts';
import { ROOT_CA_CONFIG_MAP } from './decide.ts';

const KEY = { namespace: 'default', name: ROOT_CA_CONFIG_MAP };

const publisher: Component = {
  name: 'publisher',
  async start({ connect, clock, random, signal }) {
    const controllers = ['root-ca-certificate-publisher-controller'] as const;
    await startControllers({ connect, clock, random, signal, controllers, rootCa: 'good' }).ended;
  },
};

const scenario: Scenario = {
  name: 'spoilt',
  observed: [],
  components: [publisher],
  prepare: async () => undefined,
  async script({ client, clock }) {
    await sleep(clock, 10_000);
    const body = { data: { 'ca.crt': 'spoilt' } };
    await client.patch(corev1.configmaps, KEY, { type: 'merge', body });
  },
  async missing({ client }) {
    const found = await ignoreNotFound(client.get(corev1.configmaps, KEY));
    return found?.data?.['ca.crt'] === 'good' ? undefined : 'the authority';
  },
  isHeartbeat: () => false,
  invariants: {},
};

test('an authority that somebody’s webhook keeps spoilt is published when the webhook has stopped', async () => {
  const undo = { type: 'hostile', effect: 'undo', at: 5000, ms: 60_000, writes: 8, delayMs: 0 } as const;
  const result = await runWorld({ seed: 1, scenario, faults: [undo] });
  expect(result).not.toHaveProperty('failure');
  expect(result.trace.filter((line) => line.includes('undo: UPDATE configmaps'))).not.toHaveLength(0);
});
