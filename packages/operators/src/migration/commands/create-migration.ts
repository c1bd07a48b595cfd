import { defined, type KubeObject, type Stored } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { GROUP, STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';

/** What an option stands for, and where it is found. */
const REQUIRED = {
  to: ['NODE', 'the node that the pod is to run on: kubectl get nodes lists them'],
  queue: ['QUEUE', 'the queue that the pod consumes'],
  exchange: ['EXCHANGE', 'the exchange that its queue is bound to'],
  broker: ['amqp://HOST', 'the broker, or --broker-secret SECRET with its url'],
} as const;
const NAMES = Object.keys(REQUIRED) as readonly (keyof typeof REQUIRED)[];

/** Throws `Usage`, which says what to add, before a cluster is needed. */
export function checkOptions({ options }: CommandCall): void {
  if (options['broker'] !== undefined && options['brokerSecret'] !== undefined)
    throw new OperatorError('Usage', 'it takes one of --broker and --broker-secret');
  const given: Readonly<Record<string, unknown>> = {
    ...options,
    broker: options['broker'] ?? options['brokerSecret'],
  };
  const missing = NAMES.filter((name) => given[name] === undefined);
  if (missing.length === 0) return;
  const added = missing.map((name) => `--${name} ${REQUIRED[name][0]}`).join(' ');
  const meaning = missing.map((name) => `--${name}: ${REQUIRED[name][1]}`).join('; ');
  throw new OperatorError('Usage', `add ${added} (${meaning})`);
}

/** Creates the StatefulMigration that the arguments of a command describe. */
export async function createMigration(
  { args: [given = ''], options }: CommandCall,
  { client, namespace }: CommandStage,
  more: Partial<StatefulMigration['spec']> = {},
): Promise<Stored> {
  const pod = given.replace(/^pods?\//, '');
  return client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'StatefulMigration',
    metadata: { generateName: `${pod}-`, namespace },
    spec: {
      sourcePod: pod,
      targetNode: options['to'] ?? '',
      migrationStrategy: options['strategy'] ?? '',
      messageQueueConfig: {
        queueName: options['queue'] ?? '',
        exchangeName: options['exchange'] ?? '',
        routingKey: options['routingKey'] ?? '',
        brokerUrl: options['broker'] ?? '',
        ...defined({ brokerSecret: options['brokerSecret'] }),
      },
      ...more,
    },
  });
}
