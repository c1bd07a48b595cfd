import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { indexOf } from '../export/export-index.ts';
import { writeExport } from '../export/write-export.ts';
import { readCaptured } from './read-captured.ts';
import { withProgress } from './with-progress.ts';

/** `kubewright capture export CHECKPOINT TARGET`: writes nothing unless every chunk is what was captured. */
export async function exportCheckpoint(
  { args: [name = '', target = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  const read = (does: string) =>
    withProgress(readCaptured({ source: name, signal: stage.signal }, connect), stage, does);
  const index = await indexOf(name, read('verified'));
  await writeExport(target, index, read('written'), stage.signal);
  stage.out(printable(`${index.files.length} objects of ${name} are in ${target}\n`));
}
