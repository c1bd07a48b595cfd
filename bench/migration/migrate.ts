import { corev1, type KubeObject } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import type { Application } from './start-application.ts';
import { EXCHANGE, NAMESPACE, type Shop } from './with-shop.ts';

const OVER = ['Completed', 'Failed', 'Rejected', 'Aborted'];
const PATIENT = { timeoutMs: 600_000 };

export function otherNode({ source }: Application): string {
  return source.spec.nodeName === 'node-1' ? 'node-2' : 'node-1';
}

/** Has the operator move the pod. Resolves with whether both digests were equal at the last cut. */
export async function migrate({ client, url }: Shop, app: Application): Promise<boolean> {
  const { queue, pod: sourcePod, name } = app;
  const targetNode = otherNode(app);
  const key = { namespace: NAMESPACE, name };
  const messageQueueConfig = { queueName: queue, exchangeName: EXCHANGE, routingKey: queue, brokerUrl: url };
  await client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: key,
    spec: { sourcePod, targetNode, messageQueueConfig },
  });
  const isOver = (live: StatefulMigration | undefined): boolean => OVER.includes(live?.status?.phase ?? '');
  const live = await waitForObject(client, STATEFUL_MIGRATIONS, key, isOver, PATIENT);
  const { phase, message, handover } = live?.status ?? {};
  if (phase !== 'Completed') throw new TypeError(`${name} is ${phase}: ${message}`);
  const pod = await client.get(corev1.pods, { namespace: NAMESPACE, name: sourcePod });
  const { digest, targetDigest } = handover?.cut ?? {};
  return pod.spec.nodeName === targetNode && digest !== undefined && digest === targetDigest;
}
