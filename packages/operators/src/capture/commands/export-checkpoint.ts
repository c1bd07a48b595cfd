import { defined } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { indexOf } from '../export/export-index.ts';
import { formatOf } from '../export/format-of.ts';
import { findExport, type FoundExport } from '../export/find-export.ts';
import { replaceExport } from '../export/replace-export.ts';
import { writeExport } from '../export/write-export.ts';
import { readCaptured } from './read-captured.ts';
import { readLeftOut } from './read-left-out.ts';
import { withProgress } from './with-progress.ts';

/** `kubewright capture export CHECKPOINT TARGET`: writes nothing unless every chunk is what was captured. */
export async function exportCheckpoint(
  { args: [name = '', target = ''], options: { overwrite } }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  // Throws for a target that is none, before anything is read.
  formatOf(target);
  const stage = await connect();
  const read = (does: string) =>
    withProgress(readCaptured({ source: name, signal: stage.signal }, connect), stage, does);
  const leftOut = await readLeftOut({ source: name, signal: stage.signal }, connect);
  const index = await indexOf(name, read('verified'), leftOut);
  const found = overwrite === undefined ? undefined : await findExport(target, stage.signal);
  const write = (at: string, replaced?: FoundExport): Promise<void> =>
    writeExport(at, index, read('written'), { signal: stage.signal, ...defined({ replaced }) });
  if (found === undefined) await write(target);
  else for await (const _ of withProgress(replaceExport(target, found, write), stage, 'removed'));
  stage.print({
    json: { checkpoint: name, target, objects: index.files.length },
    text: () => printable(`${index.files.length} objects of ${name} are in ${target}\n`),
  });
}
