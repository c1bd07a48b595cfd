import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { checkOptions, createMigration } from './create-migration.ts';
import { expectPhase, followMigration, progressLines } from './follow-migration.ts';

/**
 * `kubewright migrate pod NAME --to NODE …`: makes a StatefulMigration and shows its steps until it is over. Who interrupts
 * it leaves the migration running: the operator goes on.
 */
export async function migratePod(call: CommandCall, connect: () => Promise<CommandStage>): Promise<void> {
  checkOptions(call);
  const stage = await connect();
  const { name } = (await createMigration(call, stage)).metadata;
  stage.out(`statefulmigration/${name} created\n`);
  if (stage.dryRun !== undefined) return;
  const over = await followMigration(stage, name, progressLines(stage.out));
  if (over !== undefined) return expectPhase(over, 'Completed');
  stage.out(`The migration goes on. To undo it:\n  kubewright migrate abort ${name} -n ${stage.namespace}\n`);
}
