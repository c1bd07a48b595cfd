import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';

const TITLES = ['NAME', 'POD', 'FROM', 'TO', 'PHASE', 'STEP', 'MESSAGE'];

/** `kubewright migrate list`: the migrations of a namespace, also those that are over. */
export async function listMigrations(
  _call: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { client, namespace, print } = await connect();
  const { items } = await client.list(STATEFUL_MIGRATIONS, { namespace });
  const rows = items.map((one) => rowOf(one));
  const none = `no migrations in namespace ${namespace}\n`;
  print({
    json: rows.map((row) =>
      Object.fromEntries(row.map((cell, at) => [(TITLES[at] ?? '').toLowerCase(), cell])),
    ),
    text: () => (rows.length === 0 ? none : tableOf([TITLES, ...rows])),
  });
}

function rowOf({ metadata, spec, status }: StatefulMigration): readonly string[] {
  const { sourceNode = '', phase = 'Pending', step = '', message = '' } = status ?? {};
  return [metadata.name, spec.sourcePod, sourceNode, spec.targetNode, phase, step, message];
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = TITLES.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return `${lines.map((line) => printable(line).trimEnd()).join('\n')}\n`;
}
