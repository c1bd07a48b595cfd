import type { appsv1, KubeObject } from '@kubewright/kube';

const NAMESPACE = 'default';
/** It is migrated. */
export const POD = { namespace: NAMESPACE, name: 'consumer-0' };
export const MOVE = { namespace: NAMESPACE, name: 'move' };

export function statefulSet(): appsv1.StatefulSet {
  const labels = { app: 'consumer' };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'consumer', namespace: NAMESPACE },
    spec: {
      serviceName: 'consumer',
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'consumer' }] } },
    },
  };
}

export function move(targetNode: string, ttlSecondsAfterFinished?: number): KubeObject {
  const messageQueueConfig = {
    queueName: 'orders-0',
    brokerUrl: 'amqp://broker',
    exchangeName: 'events',
    routingKey: 'orders-0',
  };
  return {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: MOVE,
    spec: {
      sourcePod: POD.name,
      targetNode,
      messageQueueConfig,
      ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
    },
  };
}
