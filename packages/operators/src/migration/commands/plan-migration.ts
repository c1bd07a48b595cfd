import { ignoreNotFound } from '@kubewright/client';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { type Plan, STATEFUL_MIGRATIONS } from '../api.ts';
import { checkOptions, createMigration } from './create-migration.ts';
import { expectPhase, followMigration } from './follow-migration.ts';

/** A plan whose command was interrupted goes after a while. */
const TTL_SECONDS = 60;

/** `kubewright migrate plan NAME --to NODE …`: checks the requirements of a migration and predicts it; nothing is moved. */
export async function planMigration(call: CommandCall, connect: () => Promise<CommandStage>): Promise<void> {
  checkOptions(call);
  const stage = await connect();
  const { client, namespace, print } = stage;
  const more = { dryRun: true, ttlSecondsAfterFinished: TTL_SECONDS };
  const { name } = (await createMigration(call, stage, more)).metadata;
  try {
    const over = await followMigration(stage, name, () => undefined);
    if (over === undefined) return;
    expectPhase(over, 'Completed');
    const { plan, message = '' } = over.status ?? {};
    if (plan !== undefined) print({ json: plan, text: () => textOf(plan, message) });
  } finally {
    await ignoreNotFound(client.delete(STATEFUL_MIGRATIONS, { namespace, name }));
  }
}

const STATES = {
  Snapshot: 'written by the application',
  Checkpoint: 'a checkpoint of the container; the process stands still from then on until it was restored',
} as const;

const STARTED: Readonly<Record<string, string>> = { Sequential: 'one pod is' };

function rateOf({ messagesPerSecond }: Plan): string {
  return messagesPerSecond === undefined ? '' : `; the pod applies ${messagesPerSecond} per second`;
}

function textOf(plan: Plan, message: string): string {
  const lines = [
    `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
    `Strategy     ${plan.strategy}, ${plan.consistency}`,
    `State        ${STATES[plan.backend ?? 'Snapshot']}`,
    `Queue        ${plan.backlog} messages${rateOf(plan)}`,
    `Pod start    ${plan.podStartSeconds} s, by the source pod; ${STARTED[plan.strategy] ?? 'two pods are'} started`,
  ];
  return `${lines.map((line) => printable(line)).join('\n')}\n`;
}
