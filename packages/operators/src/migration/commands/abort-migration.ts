import { isConditionTrue } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';
import { expectPhase, followMigration, progressLines } from './follow-migration.ts';

/** `kubewright migrate abort NAME`: sets spec.abort, and shows how everything is undone. Fails where it is too late. */
export async function abortMigration(
  { args: [given = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const name = given.slice(given.lastIndexOf('/') + 1);
  const stage = await connect();
  const { client, namespace, out } = stage;
  const body = { spec: { abort: true } };
  await client.patch(STATEFUL_MIGRATIONS, { namespace, name }, { type: 'merge', body });
  if (stage.dryRun !== undefined) return out(printable(`${name} is being aborted\n`));
  const show = progressLines(out);
  const over = await followMigration(stage, name, (live) => {
    show(live);
    checkNotTooLate(live);
  });
  if (over !== undefined) return expectPhase(over, 'Aborted');
  out(printable(`${name} is being aborted; "kubewright migrate list" shows how far it is\n`));
}

function checkNotTooLate({ metadata, status }: StatefulMigration): void {
  if (!isConditionTrue(status?.conditions ?? [], 'AbortRefused')) return;
  const why = 'the source has handed its state over; the migration can only go on';
  throw new OperatorError('Failed', printable(`${metadata.name} is not aborted: ${why}`));
}
