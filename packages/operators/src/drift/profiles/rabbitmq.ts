import type { Profile } from './profile.ts';

export const rabbitmq: readonly Profile[] = [
  {
    group: 'rabbitmq.com',
    kind: 'RabbitmqCluster',
    source: 'RabbitMQ cluster-operator 2.22',
    ready: ['AllReplicasReady', 'ReconcileSuccess'],
  },
];
