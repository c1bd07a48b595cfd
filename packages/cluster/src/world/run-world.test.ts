import { type Client, createClient, isNotFound, sleep, withRetry } from '@kubewright/client';
import { defined, type Json, type KubeObject, type Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { drawFaults, drawHostility } from './draw-faults.ts';
import type { WorldFault } from './world-fault.ts';
import type { Component, ComponentEnvironment } from './component.ts';
import type { Scenario } from './scenario.ts';
import { createSeededRandom } from './seeded-random.ts';
import { sievePatterns } from './sieve-patterns.ts';
import { shrinkFaults } from './shrink-faults.ts';
import { runWorld } from './run-world.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
const NAMESPACE = 'default';

const configMap = (metadata: KubeObject['metadata'], data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: NAMESPACE, ...metadata },
  data,
});

/** Observes and acts again and again, as controllers do, whatever faults are injected. */
function looping(name: string, once: (client: Client, memory: Set<string>) => Promise<void>): Component {
  return {
    name,
    async start({ transport, clock, signal }: ComponentEnvironment) {
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
  stableFor: 60_000,
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

  test('has clocks that show whole milliseconds, however odd a wait was', async () => {
    const seen: number[] = [];
    const sleeper = looping('sleeper', async () => undefined);
    const odd: Component = {
      name: 'odd',
      async start({ clock, signal }) {
        await sleep(clock, 0.3 * 1000.5, signal);
        seen.push(clock.now(), clock.monotonic());
      },
    };
    const scenario = { ...copyScenario(careful), components: [careful, sleeper, odd] };
    await runWorld({ seed: 1, scenario, faults: [] });
    expect(seen.map((time) => time % 1)).toEqual([0, 0]);
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

  const scripted = async (faults: readonly WorldFault[], rival?: Scenario['rival']) =>
    runWorld({
      seed: 1,
      scenario: { ...copyScenario(careful), ...defined({ rival }) },
      faults,
    });

  test('lets somebody else write at the very moment between a look and an act', async () => {
    const { failure, trace, history } = await scripted(
      [{ type: 'rival', component: 'careful', call: 3 }],
      async ({ client }) => {
        await client.create(CONFIG_MAPS, configMap({ name: 'copy' }, { by: 'rival' }));
      },
    );
    expect(failure).toBeUndefined();
    expect(trace).toContainEqual(expect.stringMatching(/careful #3 POST \S+ 409/));
    expect(history.of('configmaps', 'copy').map(({ object }) => object['data'])).toEqual([{ by: 'rival' }]);
  });

  test('can void claims: the server answers 200 and keeps the ones it had', async () => {
    const claimant = looping('claimant', async (client, memory) => {
      if (memory.has('done')) return;
      memory.add('done');
      const value = [] as Json[];
      const body = [{ op: 'replace', path: '/metadata/managedFields', value }];
      await client.patch(CONFIG_MAPS, { name: 'source', namespace: NAMESPACE }, { type: 'json', body });
      await client.create(CONFIG_MAPS, configMap({ name: 'copy' }, {}));
    });
    const claimsAfter = async (faults: readonly WorldFault[]): Promise<number> => {
      const { history } = await runWorld({ seed: 1, scenario: copyScenario(claimant), faults });
      return history.of('configmaps', 'source').at(-1)?.object.metadata.managedFields?.length ?? 0;
    };
    expect(await claimsAfter([{ type: 'invalidManagedFields', component: 'claimant', call: 1 }])).toBe(1);
    expect(await claimsAfter([])).toBe(0);
  });

  test('has a client that calls too often wait for a second', async () => {
    const asked: number[] = [];
    const patient: Component = {
      name: 'patient',
      async start({ transport, clock, random }) {
        const counting: Transport = {
          ...transport,
          request: (request) => {
            asked.push(clock.monotonic());
            return transport.request(request);
          },
        };
        const client = createClient(withRetry(counting, { clock, random }));
        await client.create(CONFIG_MAPS, configMap({ name: 'copy' }, {}));
      },
    };
    const faults = [{ type: 'errorResponse', component: 'patient', call: 1, status: 429 }] as const;
    const { failure } = await runWorld({ seed: 1, scenario: copyScenario(patient), faults });
    expect(failure).toBeUndefined();
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  /** Lists, writes the copy if it is missing, and watches: what it hears is in `received`. */
  const watcher = (received: string[]): Component => ({
    name: 'watcher',
    async start({ transport }) {
      const client = createClient(transport);
      const list = await client.list(CONFIG_MAPS, { namespace: NAMESPACE });
      received.push(`list of ${list.items.length}`);
      await client.create(CONFIG_MAPS, configMap({ name: 'copy' }, {})).catch(() => undefined);
      const { resourceVersion } = list;
      for await (const event of client.watch(CONFIG_MAPS, { namespace: NAMESPACE, resourceVersion }))
        if (event.type === 'ADDED') received.push(`ADDED ${event.object.metadata.name}`);
    },
  });

  test('can tell each event of a watch twice', async () => {
    const received: string[] = [];
    const faults = [{ type: 'repeat', component: 'watcher', call: 3 }] as const;
    await runWorld({ seed: 1, scenario: copyScenario(watcher(received)), faults });
    expect(received).toEqual(['list of 1', 'ADDED copy', 'ADDED copy']);
  });

  test('can show who starts again a past that it had seen the end of', async () => {
    const received: string[] = [];
    const crash = {
      type: 'crash',
      component: 'watcher',
      call: 4,
      when: 'before',
      restartAfter: 1000,
    } as const;
    const again: Component = {
      ...watcher(received),
      async start(environment) {
        void watcher(received).start(environment);
        await sleep(environment.clock, 5000);
        await createClient(environment.transport).get(CONFIG_MAPS, { name: 'copy', namespace: NAMESPACE });
      },
    };
    const run = (faults: readonly WorldFault[]) =>
      runWorld({ seed: 1, scenario: copyScenario(again), faults });
    const stale = await run([{ ...crash, behind: 1, stale: 9000 }]);
    expect(received.splice(0)).toEqual(['list of 1', 'ADDED copy', 'list of 1', 'ADDED copy']);
    expect(sievePatterns(stale.trace).stale).toBeGreaterThan(0);
    const fresh = await run([{ ...crash, behind: 0 }]);
    expect(received).toEqual(['list of 1', 'ADDED copy', 'list of 2']);
    expect(sievePatterns(fresh.trace).stale).toBe(0);
  });

  test('lies about the past to caches alone: a list of what is watched already is true', async () => {
    const received: number[] = [];
    const labels = { made: 'here' };
    const made = { labelSelector: 'made=here' };
    const doubtful: Component = {
      name: 'doubtful',
      async start({ transport }) {
        const client = createClient(transport);
        await client.create(CONFIG_MAPS, configMap({ name: 'copy', labels }, {})).catch(() => undefined);
        received.push((await client.list(CONFIG_MAPS, made)).items.length);
        await transport.request({ method: 'GET', path: '/api/v1/configmaps?watch=true', headers: {} });
        received.push((await client.list(CONFIG_MAPS, { namespace: NAMESPACE, ...made })).items.length);
      },
    };
    const when = { call: 1, when: 'after', restartAfter: 1, behind: 1, stale: 9000 } as const;
    const faults = [{ type: 'crash', component: 'doubtful', ...when }] as const;
    await runWorld({ seed: 1, scenario: copyScenario(doubtful), faults });
    expect(received).toEqual([0, 1]);
  });

  test('draws every kind of fault', () => {
    const drawn = seeds(400).flatMap((seed) => {
      const random = createSeededRandom(seed);
      return [...drawFaults(random, ['a']), ...drawHostility(random)];
    });
    const types = new Set(drawn.map(({ type }) => type));
    expect([...types].toSorted()).toEqual([
      'compact',
      'crash',
      'cut',
      'delay',
      'errorResponse',
      'hostile',
      'invalidManagedFields',
      'jump',
      'lag',
      'lostRequest',
      'lostResponse',
      'lostWebhookCall',
      'pause',
      'repeat',
      'rival',
      'skew',
      'twin',
    ]);
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
