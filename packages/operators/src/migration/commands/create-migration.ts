import { defined, type KubeObject, type Stored } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { GROUP, STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';

const REQUIRED = ['to', 'queue', 'exchange'] as const;

/** Throws `Usage` for a missing option, before a cluster is needed. */
export function checkOptions({ options }: CommandCall): void {
  const missing = REQUIRED.find((name) => options[name] === undefined);
  if (missing !== undefined) throw new OperatorError('Usage', `--${missing} is missing`);
  if ((options['broker'] === undefined) === (options['brokerSecret'] === undefined))
    throw new OperatorError('Usage', 'it takes one of --broker and --broker-secret');
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
