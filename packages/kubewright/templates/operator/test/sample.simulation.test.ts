import { sleep } from '@kubewright/client';
import { drawFaults, runWorld, type Scenario } from '@kubewright/cluster';
import { appsv1, isConditionTrue } from '@kubewright/kube';
import { createManager, installDefinitions, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { type Sample, samples } from '../src/sample.ts';
import { addSampleController } from '../src/sample-controller.ts';
import { recorded } from './support/recorded.ts';

const key = { namespace: 'default', name: 'blog' };
const blog: Sample = {
  apiVersion: 'example.com/v1',
  kind: 'Sample',
  metadata: key,
  spec: { image: 'blog:1.0', replicas: 2 },
};

/** A Sample is made and changed, while anything may go wrong between the operator and the server. */
const scenario: Scenario = {
  name: 'sample',
  observed: [['example.com', 'samples']],
  components: [
    {
      name: 'operator',
      async start({ transport, clock, random, signal }) {
        const manager = createManager({
          name: 'sample',
          transport: recorded(transport),
          clock,
          random,
          log: silentLogger,
        });
        addSampleController(manager);
        await manager.start(signal);
      },
    },
  ],
  async prepare({ client, clock }) {
    const options = { fieldManager: 'setup', clock, random: () => 0.5 };
    await installDefinitions(client, [samples.definition], options);
    await client.create(samples, blog);
  },
  async script({ client, clock }) {
    await sleep(clock, 5000);
    await client.patch(samples, key, { type: 'merge', body: { spec: { image: 'blog:2.0' } } });
  },
  async missing({ client }) {
    const deployments = await client.list(appsv1.deployments);
    const [deployment] = deployments.items;
    if (deployment?.spec?.template.spec?.containers[0]?.image !== 'blog:2.0') return 'the image is another';
    // What the controllers of a cluster would say; here are none.
    const body = { status: { replicas: 2, readyReplicas: 2 } };
    await client.patch(appsv1.deployments, key, { type: 'merge', body }, { subresource: 'status' });
    const live = await client.get(samples, key);
    return isConditionTrue(live.status?.conditions, 'Ready') ? undefined : 'it is not Ready';
  },
  faults: (random) => drawFaults(random, ['operator']).filter(({ type }) => type !== 'twin'),
  invariants: {},
};

// To play a failure again, run its seed alone.
test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'a Sample runs what it says, whatever goes wrong: seed %d',
  async (seed) => expect(await runWorld({ seed, scenario })).not.toHaveProperty('failure'),
);
