import { type Client, createClient, isNotFound, sleep } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { Component, Surroundings } from './life.ts';
import type { Scenario } from './scenario.ts';
import { shrinkFaults } from './shrink.ts';
import { runWorld } from './world.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
const NAMESPACE = 'default';

const configMap = (metadata: KubeObject['metadata'], data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: NAMESPACE, ...metadata },
  data,
});

/** Looks and acts again and again, as controllers do, whatever goes wrong in between. */
function looping(name: string, once: (client: Client, memory: Set<string>) => Promise<void>): Component {
  return {
    name,
    async start({ transport, clock, signal }: Surroundings) {
      const client = createClient(transport);
      const memory = new Set<string>();
      while (!signal.aborted) {
        await once(client, memory).catch(() => undefined);
        await sleep(clock, 10_000, signal);
      }
    },
  };
}

/** Copies `source` to `copy`: the name makes a second attempt harmless. */
const careful = looping('careful', async (client) => {
  const source = await client.get(CONFIG_MAPS, { name: 'source', namespace: NAMESPACE });
  try {
    await client.get(CONFIG_MAPS, { name: 'copy', namespace: NAMESPACE });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await client.create(
      CONFIG_MAPS,
      configMap({ name: 'copy' }, (source as { data?: Record<string, string> }).data ?? {}),
    );
  }
});

/** The same, but it remembers in the process alone that it has made a copy. */
const forgetful = looping('forgetful', async (client, memory) => {
  if (memory.has('done')) return;
  await client.create(CONFIG_MAPS, configMap({ generateName: 'copy-' }, {}));
  memory.add('done');
});

const copyScenario = (component: Component): Scenario => ({
  name: 'copy',
  observed: [['', 'configmaps']],
  components: [component],
  async prepare({ client }) {
    await client.create(CONFIG_MAPS, configMap({ name: 'source' }, { a: '1' }));
  },
  async missing({ client }) {
    const { items } = await client.list(CONFIG_MAPS, { namespace: NAMESPACE });
    return items.some(({ metadata }) => metadata.name?.startsWith('copy')) ? undefined : 'a copy';
  },
  invariants: {
    'one copy': (history) => {
      const copies = history.all.filter(
        ({ type, object }) => type === 'ADDED' && object.metadata.name?.startsWith('copy'),
      );
      return copies.length > 1 ? `there are ${copies.length}` : undefined;
    },
  },
});

const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);

describe('a world', () => {
  test('is decided by its seed, to the last line of its trace', async () => {
    for (const seed of seeds(6)) {
      const [first, second] = [
        await runWorld({ seed, scenario: copyScenario(careful) }),
        await runWorld({ seed, scenario: copyScenario(careful) }),
      ];
      expect(second.trace).toEqual(first.trace);
      expect(first.trace.length).toBeGreaterThan(10);
    }
  });

  test('differs from seed to seed', async () => {
    const traces = await Promise.all(
      [1, 2].map(
        async (seed) => (await runWorld({ seed, scenario: copyScenario(careful), faults: [] })).trace,
      ),
    );
    expect(traces[0]).not.toEqual(traces[1]);
  });

  test('finds nothing wrong with a component that may die anywhere', async () => {
    for (const seed of seeds(24)) {
      expect(await runWorld({ seed, scenario: copyScenario(careful) })).not.toHaveProperty('failure');
    }
  });

  test('catches a component that trusts its memory, and says which fault alone is enough', async () => {
    const scenario = copyScenario(forgetful);
    const failures = [];
    for (const seed of seeds(24)) {
      const result = await runWorld({ seed, scenario });
      if (result.failure !== undefined) failures.push(await shrinkFaults({ seed, scenario }, result));
    }
    expect(failures.length).toBeGreaterThan(0);
    for (const { failure, faults } of failures) {
      expect(failure).toMatch(/^one copy: there are \d/);
      expect(faults).toHaveLength(1);
      expect(['crash', 'lostResponse', 'twin']).toContain(faults[0]?.type);
    }
  });

  test('reports a state that is never reached', async () => {
    const idle = looping('idle', () => Promise.resolve());
    const result = await runWorld({ seed: 1, scenario: copyScenario(idle), faults: [] });
    expect(result.failure).toBe('never reached: a copy');
  });

  test('reports a component that goes on writing', async () => {
    let n = 0;
    const restless = looping('restless', async (client) => {
      await client.apply(CONFIG_MAPS, configMap({ name: 'copy' }, { n: String(n++) }), {
        fieldManager: 'r',
        force: true,
      });
    });
    const result = await runWorld({ seed: 1, scenario: copyScenario(restless), faults: [] });
    expect(result.failure).toMatch(/^not stable: \d+ writes/);
  });
});
