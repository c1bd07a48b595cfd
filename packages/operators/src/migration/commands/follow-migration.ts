import { ignoreNotFound, sleep, systemClock } from '@kubewright/client';
import type { CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { isTerminal, STATEFUL_MIGRATIONS, type StatefulMigration } from '../api.ts';

const POLL_MS = 300;

/** Calls `show` with the migration whenever it is looked at, until it is over; undefined: the command was interrupted. */
export async function followMigration(
  { client, namespace, signal }: CommandStage,
  name: string,
  show: (live: StatefulMigration) => void,
): Promise<StatefulMigration | undefined> {
  while (!signal.aborted) {
    const live = await ignoreNotFound(client.get(STATEFUL_MIGRATIONS, { namespace, name }));
    if (live === undefined) throw new OperatorError('NotFound', `statefulmigration/${name} was deleted`);
    show(live);
    if (live.status !== undefined && isTerminal(live.status)) return live;
    await sleep(systemClock, POLL_MS, signal);
  }
  return undefined;
}

/** Prints a line for each change of the progress. */
export function progressLines(out: (text: string) => void): (live: StatefulMigration) => void {
  let shown = '';
  return (live) => {
    const line = progressOf(live);
    if (line !== shown) out(`${line}\n`);
    shown = line;
  };
}

function progressOf({ status }: StatefulMigration): string {
  const { phase = 'Pending', step = '', message = '', messages, progress = 0 } = status ?? {};
  const behind = messages === undefined || messages.behind === 0 ? '' : `${messages.behind} messages behind`;
  const percent = `${progress}%`.padStart(4);
  const text = behind === '' ? message : behind;
  const parts = [phase.padEnd(14), percent, etaOf(status).padEnd(14), step.padEnd(16), text];
  return printable(parts.join(' ').trimEnd());
}

/** When it may be completed, in the time of the day. */
function etaOf(status: StatefulMigration['status']): string {
  const { estimatedCompletionTime: time } = status ?? {};
  return time === undefined ? '' : `ETA ${time.slice(11)}`;
}

/** Rejects unless the migration is in this phase. */
export function expectPhase({ metadata, status }: StatefulMigration, wanted: 'Completed' | 'Aborted'): void {
  const { phase, message = '' } = status ?? {};
  if (phase !== wanted)
    throw new OperatorError('Failed', printable(`${metadata.name} is ${phase}: ${message}`));
}
