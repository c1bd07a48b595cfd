import { appsv1 } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { startParts } from './start-parts.ts';
import type { Scenario } from './world/scenario.ts';
import { runWorld } from './world/run-world.ts';

const key = { namespace: 'default', name: 'web' };

const scenario: Scenario = {
  name: 'cluster',
  observed: [['', 'pods']],
  components: [{ name: 'cluster', start: (environment) => startParts({ ...environment, nodes: 2 }).ended }],
  faults: () => [],
  isHeartbeat: ({ path }) => path.includes('/leases/') || /\/nodes\/[^/]+\/status/.test(path),
  stableFor: 120_000,
  invariants: {},
  async prepare({ client }) {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    };
    await client.create(appsv1.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: key,
      spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template },
    });
  },
  async missing({ client }) {
    const { status } = await client.get(appsv1.deployments, key);
    return status?.readyReplicas === 3 ? undefined : 'pods that are ready';
  },
};

test('a whole cluster lives in a simulated world, then writes nothing but heartbeats', async () => {
  expect((await runWorld({ seed: 1, scenario })).failure).toBeUndefined();
});
