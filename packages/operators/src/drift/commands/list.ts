import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { textTable } from '../../kit/text-table.ts';
import { type Drift, readDrifts } from './read-drifts.ts';

/** `kubewright drift list`: the drift Events of the last hour, the newest first. */
export async function list(_call: CommandCall, connect: () => Promise<CommandStage>): Promise<void> {
  const stage = await connect();
  const { namespace, print } = stage;
  const drifts = await readDrifts(stage);
  const none = `no drift in namespace ${namespace} within the last hour\n`;
  print({ json: drifts, text: () => (drifts.length === 0 ? none : tableOf(drifts)) });
}

function tableOf(drifts: readonly Drift[]): string {
  return textTable([
    ['PARENT', 'CHILD', 'STATE', 'TIMES', 'LAST', 'WHAT'],
    ...drifts.map(({ parent, child, state, times, last, message }) => [
      parent,
      child,
      state,
      String(times),
      last,
      message,
    ]),
  ]);
}
