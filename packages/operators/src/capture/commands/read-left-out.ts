import type { CommandStage } from '../../kit/operator.ts';
import { textTable } from '../../kit/text-table.ts';
import { type LeftOutObjects, MANIFEST_CHECKPOINTS } from '../api/manifest-checkpoint.ts';
import { isExport } from '../export/format-of.ts';
import { readLeftOut as readOfExport } from '../export/read-export.ts';
import type { Source } from './read-captured.ts';

/** What a capture did not take, and why: of a checkpoint or an export that exists. */
export async function readLeftOut(
  { source, signal }: Source,
  connect: () => Promise<Pick<CommandStage, 'client'>>,
): Promise<readonly LeftOutObjects[]> {
  if (isExport(source)) return readOfExport(source, signal);
  const { client } = await connect();
  const { spec } = await client.get(MANIFEST_CHECKPOINTS, { name: source });
  return spec?.leftOut ?? [];
}

/** `ConfigMap (12: a, b, …)` */
export function titleOfLeftOut({ kind, count, names }: LeftOutObjects): string {
  const more = count > names.length ? ', …' : '';
  return count === 1 ? `${kind}/${names.join()}` : `${kind} (${count}: ${names.join(', ')}${more})`;
}

/** Empty where nothing was left out. */
export function leftOutTable(leftOut: readonly LeftOutObjects[]): string {
  if (leftOut.length === 0) return '';
  return textTable([
    ['NOT CAPTURED', 'REASON'],
    ...leftOut.map((each) => [titleOfLeftOut(each), each.reason]),
  ]);
}
