import { type ApiResponse, appsv1, type Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { Component } from '../../world/component.ts';
import type { Scenario } from '../../world/scenario.ts';
import { runWorld } from '../../world/run-world.ts';
import { startControllers } from '../start-controllers.ts';

const labels = { app: 'web' };
const SET: appsv1.StatefulSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    serviceName: 'web',
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};

async function* no(): AsyncGenerator<Uint8Array> {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 403 };
  yield Buffer.from(JSON.stringify({ ...status, reason: 'Forbidden', message: 'no pods today' }));
}

/** Refuses each pod. */
function refusing(transport: Transport, onPod: () => void): Transport {
  return {
    ...transport,
    async request(request): Promise<ApiResponse> {
      if (request.method !== 'POST' || !request.path.includes('/pods')) return transport.request(request);
      onPod();
      return { status: 403, headers: { 'content-type': 'application/json' }, body: no() };
    },
  };
}

/** Milliseconds between the attempts that a set makes in an hour and a half. */
async function waits(): Promise<readonly number[]> {
  const asked: number[] = [];
  const component: Component = {
    name: 'controllers',
    async start({ connect, clock, random, signal }) {
      await startControllers({
        connect: (user) => refusing(connect(user), () => asked.push(clock.monotonic())),
        clock,
        random,
        signal,
        controllers: ['statefulset-controller'],
      }).ended;
    },
  };
  const scenario: Scenario = {
    name: 'refused',
    observed: [],
    components: [component],
    stableFor: 90 * 60_000,
    prepare: async () => undefined,
    script: async ({ client }) => void (await client.create(appsv1.statefulsets, SET)),
    missing: async () => (asked.length < 10 ? 'attempts' : undefined),
    isHeartbeat: () => true,
    invariants: {},
  };
  expect(await runWorld({ seed: 1, scenario, faults: [] })).not.toHaveProperty('failure');
  return asked.slice(1).map((at, index) => at - (asked[index] ?? at));
}

test('a pod that is refused is asked for again after 5 ms, then after twice as long each time, up to 1000 s', async () => {
  const doubled = Array.from({ length: 23 }, (_, failures) => Math.min(5 * 2 ** failures, 1_000_000));
  const found = await waits();
  // What else wakes a new set comes before the first waits are over.
  expect(found.slice(4)).toEqual(doubled.slice(4, found.length));
  expect(found.at(-1)).toBe(1_000_000);
});
