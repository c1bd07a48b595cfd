import { type Client, createClient, withRetry } from '@kubewright/client';
import { drawFaults, type History, type Scenario } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import { createChannelSource, createManager, watchMapped, silentLogger } from '@kubewright/runtime';

const LABEL = 'app=counted';
const SIZE = 3;
/** The faults that a process has to survive without a crash: one that crashes forgets what it was about to learn. */
const SURVIVABLE = new Set([
  'lostRequest',
  'lostResponse',
  'errorResponse',
  'delay',
  'cut',
  'lag',
  'compact',
  'pause',
]);

/** Wants three ConfigMaps whose names the server chooses, as a ReplicaSet wants Pods: it can only count. */
export function countedScenario(clientOf: (own: Client, bare: Client) => Client = (own) => own): Scenario {
  return {
    name: 'counted',
    observed: [['', 'configmaps']],
    components: [
      {
        name: 'maker',
        async start({ transport, clock, random, signal }) {
          const bare = createClient(withRetry(transport, { clock, random }));
          const manager = createManager({ client: bare, clock, random, log: silentLogger });
          const client = clientOf(manager.client, bare);
          const first = createChannelSource('first');
          first.send({ name: 'all' });
          manager.addController({
            name: 'maker',
            sources: [first, watchMapped(corev1.configmaps, () => [{ name: 'all' }])],
            reconciler: {
              async reconcile() {
                const { length } = manager.cache.list(corev1.configmaps, { labelSelector: LABEL });
                if (length >= SIZE) return {};
                const metadata = { namespace: 'default', generateName: 'one-', labels: { app: 'counted' } };
                await client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
                return { requeueAfter: 1 };
              },
            },
          });
          await manager.start(signal);
        },
      },
    ],
    prepare: async () => undefined,
    async missing({ client }) {
      const { items } = await client.list(corev1.configmaps, { labelSelector: LABEL });
      return items.length >= SIZE ? undefined : `there are ${items.length}`;
    },
    faults: (random) => drawFaults(random, ['maker']).filter(({ type }) => SURVIVABLE.has(type)),
    invariants: { 'never more than it wants': neverMore },
  };
}

function neverMore(history: History): string | undefined {
  const made = new Set(
    history.all.flatMap(({ object: { metadata } }) =>
      metadata.labels?.['app'] === 'counted' ? metadata.name : [],
    ),
  );
  return made.size <= SIZE ? undefined : `it made ${made.size}`;
}
