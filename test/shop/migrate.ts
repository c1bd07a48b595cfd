import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { isTerminal } from '../../packages/operators/src/migration/api.ts';
import type { Application } from './start-application.ts';
import { EXCHANGE } from './shop-broker.ts';
import { NAMESPACE, type Shop } from './with-shop.ts';

const PATIENT = { timeoutMs: 600_000 };

type Live = Stored<StatefulMigration>;
export type Strategy = 'ShadowPod' | 'Sequential';

export function otherNode({ source }: Application): string {
  return source.spec.nodeName === 'node-1' ? 'node-2' : 'node-1';
}

/** Creates a migration of the pod to the other node, with the name of the application. */
export async function createMigration(
  { client, broker }: Shop,
  app: Application,
  migrationStrategy: Strategy = 'ShadowPod',
): Promise<void> {
  const { queue, pod: sourcePod, name } = app;
  const messageQueueConfig = {
    queueName: queue,
    exchangeName: EXCHANGE,
    routingKey: broker.routingKey(queue),
    brokerUrl: broker.url,
  };
  await client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: { namespace: NAMESPACE, name },
    spec: { sourcePod, targetNode: otherNode(app), messageQueueConfig, migrationStrategy },
  });
}

/** Resolves when the migration is over, or with the first state of it that is looked for. */
export async function migrationOver(
  { client }: Shop,
  { name }: Application,
  isSought: (live: StatefulMigration) => boolean = () => false,
): Promise<Live> {
  const key = { namespace: NAMESPACE, name };
  const isThere = (live: StatefulMigration | undefined): boolean =>
    live !== undefined && (isOver(live) || isSought(live));
  const live = await waitForObject(client, STATEFUL_MIGRATIONS, key, isThere, PATIENT);
  if (live === undefined) throw new TypeError(`the migration ${name} is gone`);
  return live;
}

export function isOver({ status }: StatefulMigration): boolean {
  return status !== undefined && isTerminal(status);
}

/** Has the operator move the pod. Resolves with whether both digests were equal at the last cut. */
export async function migrate(shop: Shop, app: Application): Promise<boolean> {
  await createMigration(shop, app);
  const { status } = await migrationOver(shop, app);
  const { phase, message, handover } = status ?? {};
  if (phase !== 'Completed') throw new TypeError(`${app.name} is ${phase}: ${message}`);
  const pod = await shop.client.get(corev1.pods, { namespace: NAMESPACE, name: app.pod });
  const { digest, targetDigest } = handover?.cut ?? {};
  return pod.spec.nodeName === otherNode(app) && digest !== undefined && digest === targetDigest;
}
