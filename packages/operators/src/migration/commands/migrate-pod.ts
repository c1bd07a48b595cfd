import { ignoreNotFound, sleep, systemClock } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { GROUP, isTerminal, STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';

const POLL_MS = 300;
const REQUIRED = ['to', 'queue', 'exchange', 'broker'] as const;

/**
 * `kubewright migrate pod NAME --to NODE …`: makes a StatefulMigration and shows its steps until it is over. Who interrupts
 * it leaves the migration running: the operator goes on.
 */
export async function migratePod(
  { args: [given = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const pod = given.replace(/^pods?\//, '');
  const missing = REQUIRED.find((name) => options[name] === undefined);
  if (missing !== undefined) throw new OperatorError('Usage', `--${missing} is missing`);
  const stage = await connect();
  const { metadata } = await stage.client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'StatefulMigration',
    metadata: { generateName: `${pod}-`, namespace: stage.namespace },
    spec: {
      sourcePod: pod,
      targetNode: options['to'] ?? '',
      messageQueueConfig: {
        queueName: options['queue'] ?? '',
        exchangeName: options['exchange'] ?? '',
        routingKey: options['routingKey'] ?? '',
        brokerUrl: options['broker'] ?? '',
      },
    },
  });
  const { name } = metadata;
  stage.out(`statefulmigration/${name} created\n`);
  await show(stage, name);
}

async function show(stage: CommandStage, name: string): Promise<void> {
  const { client, namespace, signal, out } = stage;
  let shown = '';
  while (!signal.aborted) {
    const live = await ignoreNotFound(client.get(STATEFUL_MIGRATIONS, { namespace, name }));
    if (live === undefined) throw new OperatorError('NotFound', `statefulmigration/${name} was deleted`);
    const line = progressOf(live);
    if (line !== shown) out(`${line}\n`);
    shown = line;
    if (live.status !== undefined && isTerminal(live.status)) return judge(live);
    await sleep(systemClock, POLL_MS, signal);
  }
  out(`The migration goes on. To undo it:\n  ${undoing(namespace, name)}\n`);
}

function undoing(namespace: string, name: string): string {
  return `kubectl patch statefulmigration ${name} -n ${namespace} --type merge -p '{"spec":{"abort":true}}'`;
}

function progressOf({ status }: StatefulMigration): string {
  const { phase = 'Pending', step = '', message = '', messages } = status ?? {};
  const behind = messages === undefined || messages.behind === 0 ? '' : `${messages.behind} messages behind`;
  const parts = [phase.padEnd(14), step.padEnd(16), behind === '' ? message : behind];
  return printable(parts.join(' ').trimEnd());
}

function judge({ metadata, status }: StatefulMigration): void {
  const { phase, message = '' } = status ?? {};
  if (phase !== 'Completed')
    throw new OperatorError('Failed', printable(`${metadata.name} is ${phase}: ${message}`));
}
