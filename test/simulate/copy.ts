import { type Client, createClient, isAlreadyExists, sleep, withRetry } from '@kubewright/client';
import type { Component, ScenarioContext, History, Scenario } from '@kubewright/cluster';
import type { KubeObject } from '@kubewright/kube';
import { createManager, type Manager, type Reconciler, watchKind, silentLogger } from '@kubewright/runtime';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
const SOURCE = { namespace: 'default', name: 'source' };
const COPY = { namespace: 'default', name: 'copy' };
const CHANGES = 4;

const configMap = (metadata: KubeObject['metadata'], n: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  data: { n },
});

const numberIn = (map: KubeObject | undefined): string =>
  (map?.['data'] as { readonly n?: string } | undefined)?.n ?? '';

/**
 * What the copier does without. `guard`: a write counts only if the copy is the one that was looked at. `live`: the
 * source is read again after the copy was, because a cache that knows our own writes may know an older source.
 */
export type CopyVariant = { readonly without?: 'guard' | 'live' };

/** Keeps the copy as the source is. */
function copier({ cache, client }: Manager, { without }: CopyVariant): Reconciler {
  return {
    async reconcile() {
      const [cached, copy] = [cache.get(CONFIG_MAPS, SOURCE), cache.get(CONFIG_MAPS, COPY)];
      if (cached === undefined || (copy !== undefined && numberIn(copy) === numberIn(cached))) return {};
      const n = numberIn(without === 'live' ? cached : await client.get(CONFIG_MAPS, SOURCE));
      if (copy === undefined) await create(client, n);
      else await change(client, n, without === 'guard' ? undefined : copy.metadata.resourceVersion);
      // Another look: a write that somebody's webhook undoes brings no event.
      return { requeueAfter: 1000 };
    },
  };
}

async function create(client: Client, n: string): Promise<void> {
  try {
    await client.create(CONFIG_MAPS, configMap(COPY, n));
  } catch (error) {
    // It is not in the cache yet; when it is, that is an event.
    if (!isAlreadyExists(error)) throw error;
  }
}

async function change(client: Client, n: string, resourceVersion: string | undefined): Promise<void> {
  const guard = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
  await client.patch(CONFIG_MAPS, COPY, { type: 'merge', body: { data: { n }, ...guard } });
}

const component = (variant: CopyVariant): Component => ({
  name: 'copier',
  async start({ transport, clock, random, signal }) {
    const client = createClient(withRetry(transport, { clock, random }));
    const manager = createManager({ client, clock, random, log: silentLogger });
    manager.addController({
      name: 'copy',
      reconciler: copier(manager, variant),
      sources: [watchKind(CONFIG_MAPS)],
    });
    await manager.start(signal);
  },
});

/** A user counts the source up. */
async function script({ client, clock, random }: ScenarioContext): Promise<void> {
  for (let n = 1; n <= CHANGES; n++) {
    await sleep(clock, random.below(5000));
    await client.patch(CONFIG_MAPS, SOURCE, { type: 'merge', body: { data: { n: String(n) } } });
  }
}

/** A copy may be late, but it does not become older than it was. */
function neverGoesBack(history: History): string | undefined {
  let last = 0;
  for (const { object, at } of history.of('configmaps', 'copy')) {
    const n = Number(numberIn(object));
    if (n < last) return `at ${at} it went from ${last} to ${n}`;
    last = n;
  }
  return undefined;
}

/** The smallest scenario: one controller keeps one object as another one is. */
export function copyScenario(variant: CopyVariant = {}): Scenario {
  return {
    name: 'copy',
    observed: [['', 'configmaps']],
    components: [component(variant)],
    calls: 12,
    async prepare({ client }) {
      await client.create(CONFIG_MAPS, configMap(SOURCE, '0'));
    },
    script,
    async missing({ client }) {
      const { items } = await client.list(CONFIG_MAPS, { namespace: 'default' });
      const copy = items.find(({ metadata }) => metadata.name === 'copy');
      return numberIn(copy) === String(CHANGES) ? undefined : `the copy is ${numberIn(copy) || 'missing'}`;
    },
    invariants: { 'the copy never goes back': neverGoesBack },
  };
}
