import type { appsv1 } from '@kubewright/kube';

export const NAMESPACE = 'demo-migration';
export const IMAGE = 'kubewright.io/demo-consumer:1';
export const EXCHANGE = 'orders';
export const QUEUE = 'orders-0';

/** A StatefulSet with one consumer, and the environment that `@kubewright/migratable` needs. */
export function consumerSet(brokerUrl: string): appsv1.StatefulSet {
  const labels = { app: 'consumer' };
  const env = [
    { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    { name: 'BROKER_URL', value: brokerUrl },
    { name: 'QUEUE', value: QUEUE },
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'consumer', namespace: NAMESPACE },
    spec: {
      serviceName: 'consumer',
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: IMAGE, env }] } },
    },
  };
}
