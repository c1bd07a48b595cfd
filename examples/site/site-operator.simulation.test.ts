import { sleep } from '@kubewright/client';
import { drawFaults, runWorld, type Scenario } from '@kubewright/cluster';
import { appsv1, isConditionTrue } from '@kubewright/kube';
import { createManager, installDefinitions, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { addSiteController, type Site, sites } from './site-operator.ts';

const at = (name: string) => ({ namespace: 'default', name });
const siteOf = (name: string): Site => ({
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: at(name),
  spec: { host: `${name}.example.com`, text: 'hello', replicas: 2 },
});

/** One Site stays, one is deleted, while anything may go wrong between the operator and the server. */
function siteScenario(): Scenario {
  const dns = new Map<string, string>(); // the outside: it outlives every crash of the operator
  const set = async (host: string, target: string) => void dns.set(host, target);
  const remove = async (host: string) => void dns.delete(host);
  return {
    name: 'site',
    observed: [['example.com', 'sites']],
    components: [
      {
        name: 'operator',
        async start({ transport, clock, random, signal }) {
          const name = 'site-operator';
          const manager = createManager({ name, transport, clock, random, log: silentLogger });
          addSiteController(manager, { set, remove });
          await manager.start(signal);
        },
      },
    ],
    async prepare({ client, clock }) {
      const options = { fieldManager: 'setup', clock, random: () => 0.5 };
      await installDefinitions(client, [sites.definition], options);
      for (const name of ['stays', 'goes']) await client.create(sites, siteOf(name));
    },
    async script({ client, clock }) {
      await sleep(clock, 5000);
      await client.delete(sites, at('goes'));
    },
    async missing({ client }) {
      const { items } = await client.list(sites);
      if (items.length !== 1) return `${items.length} Sites`;
      const body = { status: { replicas: 2, readyReplicas: 2 } }; // what other controllers would say
      await client.patch(appsv1.deployments, at('stays'), { type: 'merge', body }, { subresource: 'status' });
      return isConditionTrue(items[0]?.status?.conditions, 'Ready') ? undefined : 'it is not Ready';
    },
    faults: (random) => drawFaults(random, ['operator']).filter(({ type }) => type !== 'twin'),
    invariants: {
      'the outside knows the Sites that there are': () =>
        [...dns.keys()].join() === 'stays.example.com' ? undefined : `it knows ${[...dns.keys()].join()}`,
    },
  };
}

test('a Site comes and goes as it should, whatever goes wrong', { timeout: 300_000 }, async () => {
  for (let seed = 1; seed <= 10; seed++)
    expect(await runWorld({ seed, scenario: siteScenario() })).not.toHaveProperty('failure');
});

test('wherever the operator dies, and though its reads are stale when it starts again', {
  timeout: 300_000,
}, async () => {
  for (let call = 1; call <= 20; call++)
    for (const when of ['before', 'after'] as const) {
      const crash = {
        type: 'crash',
        component: 'operator',
        call,
        when,
        restartAfter: 100,
        behind: 4,
      } as const;
      const result = await runWorld({ seed: call, scenario: siteScenario(), faults: [crash] });
      expect(result, `${when} call ${call}`).not.toHaveProperty('failure');
    }
});
