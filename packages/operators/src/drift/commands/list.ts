import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { textTable } from '../../kit/text-table.ts';
import { type Drift, readDrifts } from './read-drifts.ts';

/** `kubewright drift list`: the drift Events of the last hour, the newest first. */
export async function list({ options }: CommandCall, connect: () => Promise<CommandStage>): Promise<void> {
  const stage = await connect();
  const isOfAll = options['allNamespaces'] !== undefined;
  const drifts = await readDrifts(stage, () => true, isOfAll);
  const where = isOfAll ? 'any namespace' : `namespace ${stage.namespace}`;
  const none = `no drift in ${where} within the last hour\n`;
  stage.print({ json: drifts, text: () => (drifts.length === 0 ? none : tableOf(drifts, isOfAll)) });
}

function tableOf(drifts: readonly Drift[], isOfAll: boolean): string {
  const where = (namespace: string): readonly string[] => (isOfAll ? [namespace] : []);
  return textTable([
    [...where('NAMESPACE'), 'PARENT', 'CHILD', 'STATE', 'TIMES', 'LAST', 'WHAT'],
    ...drifts.map(({ namespace = '', parent, child, state, times, last, message }) => [
      ...where(namespace),
      parent,
      child,
      state,
      String(times),
      last,
      message,
    ]),
  ]);
}
