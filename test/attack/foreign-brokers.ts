import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import {
  BEHAVIOURS,
  type ForeignPeer,
  randomBehaviours,
  startForeignPeer,
} from '../support/foreign-peers.ts';
import { type Attack, inputs } from './attack.ts';

const NAMESPACE = 'foreign';
const SEEDS = 10;
const SOON = { timeoutMs: 60_000 };
const ATTEMPTS_MS = 15_000;
const SCHEMES = ['amqp', 'nats'];
/** Somebody who may create StatefulMigrations names brokers that are none: other protocols, resets, silence, bytes without an end. */
export const foreignBrokers: Attack = {
  name: 'foreign-brokers',
  about:
    'an editor of a namespace names brokers that reset, are silent, speak another protocol or send bytes without an end',
  env: { MS2M_BROKERS: '127.0.0.1' },
  async play({ client, namespace }) {
    await namespace(NAMESPACE);
    const seeds = Array.from({ length: inputs(SEEDS) }, (_, index) => randomBehaviours(index + 1));
    const behaviours = Object.entries(Object.assign({}, BEHAVIOURS, ...seeds) as typeof BEHAVIOURS);
    const peers: ForeignPeer[] = [];
    const named = new Map<string, string>();
    try {
      for (const [index, [behaviour, behave]] of behaviours.entries()) {
        const peer = await startForeignPeer(behave);
        peers.push(peer);
        for (const scheme of SCHEMES) {
          const name = `${scheme}-${index}`;
          named.set(name, behaviour);
          await client.create<KubeObject>(
            STATEFUL_MIGRATIONS,
            migrationOf(name, `${scheme}://127.0.0.1:${peer.port}`),
          );
        }
      }
      const told = await Promise.all(
        [...named].map(async ([name, behaviour]) => {
          const key = { namespace: NAMESPACE, name };
          const wait = waitForObject(client, STATEFUL_MIGRATIONS, key, hasOutcome, SOON);
          const live = await wait.catch(() => client.get(STATEFUL_MIGRATIONS, key));
          return hasOutcome(live) ? [] : [`${name}, whose broker ${behaviour}, has no outcome`];
        }),
      );
      // Meanwhile the manager connects to them again and again.
      await sleep(ATTEMPTS_MS);
      const effects = told.flat();
      return { inputs: named.size, effects };
    } finally {
      await Promise.all(peers.map((peer) => peer.close()));
    }
  },
};

function migrationOf(name: string, brokerUrl: string): KubeObject & { readonly spec: object } {
  return {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      sourcePod: 'none',
      targetNode: 'other',
      messageQueueConfig: { queueName: 'orders', exchangeName: 'orders', routingKey: 'orders', brokerUrl },
    },
  };
}

/** Rejected, for there is no such pod, or why it waits: the broker is connected to in any case. */
function hasOutcome(live: StatefulMigration | undefined): boolean {
  return (live?.status?.conditions ?? []).length > 0;
}
