import { canonicalJson } from '@kubewright/kube';
import type { CommandRun, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { sha256 } from '../requests/names.ts';
import { readCaptured } from './read-captured.ts';

/**
 * `kubewright capture verify SOURCE`: whether every object of a checkpoint or an export is as it was captured. The
 * digest is that of the objects: equal for a checkpoint and its exports.
 */
export async function verifyCheckpoint(
  { args: [source = ''], terminal: { print } }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const objects = await readCaptured(source, connect);
  const digest = sha256(objects.map((object) => `${canonicalJson(object)}\n`).join(''));
  const text = `${objects.length} objects of ${source} are as they were captured, sha256 ${digest}\n`;
  print({ json: { source, objects: objects.length, sha256: digest }, text: () => printable(text) });
}
