import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { writeExport } from '../export/write-export.ts';
import { readCaptured } from './read-captured.ts';

/** `kubewright capture export CHECKPOINT FOLDER`: writes nothing unless every chunk is what was captured. */
export async function exportCheckpoint(
  { args: [name = '', folder = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { out } = await connect();
  const objects = await readCaptured(name, connect);
  await writeExport(folder, name, objects);
  out(printable(`${objects.length} objects of ${name} are in ${folder}\n`));
}
